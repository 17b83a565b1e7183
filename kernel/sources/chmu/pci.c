// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Hotness monitoring units of CXL memory devices
 *
 * This has never run on hardware.
 *
 * The device belongs to the kernel's own driver, cxl_pci, and pghot leaves it there. No driver
 * uses the registers of hotness monitoring yet, and the device's interrupts are shared. A notifier
 * of the bus tells when that driver gets a device or lets go of it.
 */
#include <linux/device.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include "sources/chmu/bar.h"
#include "sources/chmu/map.h"
#include "sources/chmu/trace.h"
#include "sources/chmu/unit.h"
#include "sources/sources.h"

/* Place in enabled_sources. */
#define CHMU_BIT	7

PGHOT_DECLARE_SOURCE(chmu);
PGHOT_RECORDED(recorded_chmu, CHMU_BIT);

#define CXL_DRIVER	"cxl_pci"
#define CXL_CLASS	(PCI_CLASS_MEMORY_CXL << 8 | 0x10)

/* A block of registers that is in use. */
struct unit {
	struct list_head list;
	struct pci_dev *pdev;
	resource_size_t start;
	resource_size_t size;
	void __iomem *regs;
	struct chmu *chmu;
	int irq;		/* 0: none */
};

/* Taken inside a device's lock. Of all below. */
static DEFINE_MUTEX(units_lock);
static LIST_HEAD(units);
static bool running;

static irqreturn_t unit_interrupt(int irq, void *data)
{
	const struct unit *unit = data;

	return pghot_chmu_interrupt(unit->chmu) ? IRQ_HANDLED : IRQ_NONE;
}

/* Without an interrupt, a list that fills within an epoch overflows. Nothing worse happens. */
static void unit_request_irq(struct unit *unit)
{
	int msi = pghot_chmu_msi(unit->chmu);
	int irq = msi < 0 ? msi : pci_irq_vector(unit->pdev, msi);

	/* The driver may have requested the same interrupt, so the flags have to be its flags. */
	if (irq > 0 && pci_dev_msi_enabled(unit->pdev) &&
	    !request_threaded_irq(irq, NULL, unit_interrupt, IRQF_SHARED | IRQF_ONESHOT,
				  "pghot_chmu", unit))
		unit->irq = irq;
}

static void unit_free(struct unit *unit)
{
	if (unit->regs)
		iounmap(unit->regs);
	if (unit->start)
		release_mem_region(unit->start, unit->size);
	pci_dev_put(unit->pdev);
	kfree(unit);
}

static void unit_stop(struct unit *unit)
{
	if (unit->irq)
		free_irq(unit->irq, unit);
	pghot_chmu_stop(unit->chmu);
	list_del(&unit->list);
	unit_free(unit);
}

static int unit_start(struct unit *unit)
{
	struct chmu_range *map = kcalloc(CHMU_RANGES_MAX, sizeof(*map), GFP_KERNEL);
	struct chmu_block block = {
		.src = CHMU_BIT,
		.regs = unit->regs,
		.room = unit->size,
	};
	char name[40];

	if (!map)
		return -ENOMEM;
	snprintf(name, sizeof(name), "CXL HMU %s", pci_name(unit->pdev));
	block.name = name;
	block.map = map;
	block.nr_ranges = pghot_chmu_map_get(pci_name(unit->pdev), map);
	unit->chmu = pghot_chmu_start(&block);
	kfree(map);
	return PTR_ERR_OR_ZERO(unit->chmu);
}

/* The block is at @offset to @end of a BAR. The log says what goes wrong, except lack of memory. */
static void unit_add(struct pci_dev *pdev, int bar, u64 offset, u64 end)
{
	const char *reason = chmu_bar_refuses(pci_resource_flags(pdev, bar), offset, end);
	struct unit *unit;

	if (reason) {
		pr_err("CXL HMU %s: %s (BAR %d)\n", pci_name(pdev), reason, bar);
		return;
	}
	unit = kzalloc(sizeof(*unit), GFP_KERNEL);
	if (!unit)
		return;
	unit->pdev = pci_dev_get(pdev);
	unit->size = end - offset;
	/* All of the block is requested: the device says where in it something is written. */
	if (!request_mem_region(pci_resource_start(pdev, bar) + offset, unit->size, "pghot")) {
		pr_err("CXL HMU %s: another driver has its registers\n", pci_name(pdev));
		goto free;
	}
	unit->start = pci_resource_start(pdev, bar) + offset;
	unit->regs = ioremap(unit->start, unit->size);
	if (!unit->regs || unit_start(unit))
		goto free;
	unit_request_irq(unit);
	list_add(&unit->list, &units);
	return;
free:
	unit_free(unit);
}

/* Number of entries of the register locator at @at in configuration space. */
static unsigned int locator_entries(struct pci_dev *pdev, u16 at)
{
	u32 header;
	u64 length;

	pci_read_config_dword(pdev, at + PCI_DVSEC_HEADER1, &header);
	length = chmu_get(header, CHMU_LOCATOR_LENGTH);
	return length < CHMU_LOCATOR_ENTRIES ? 0 :
	       (length - CHMU_LOCATOR_ENTRIES) / CHMU_LOCATOR_ENTRY_BYTES;
}

static u64 locator_entry(struct pci_dev *pdev, u16 at, unsigned int i)
{
	u32 low, high;

	at += CHMU_LOCATOR_ENTRIES + i * CHMU_LOCATOR_ENTRY_BYTES;
	pci_read_config_dword(pdev, at, &low);
	pci_read_config_dword(pdev, at + 4, &high);
	return (u64)high << 32 | low;
}

/* Where a block ends: where the next one of its BAR begins, or with the BAR. */
static u64 locator_end(struct pci_dev *pdev, u16 at, u64 block)
{
	u64 bar = chmu_get(block, CHMU_LOCATOR_BAR);
	u64 end = bar < PCI_STD_NUM_BARS ? pci_resource_len(pdev, bar) : 0;
	unsigned int nr = locator_entries(pdev, at), i;

	for (i = 0; i < nr; i++) {
		u64 entry = locator_entry(pdev, at, i), offset = entry & CHMU_LOCATOR_OFFSET;

		if (chmu_get(entry, CHMU_LOCATOR_BLOCK) &&
		    chmu_get(entry, CHMU_LOCATOR_BAR) == bar &&
		    offset > (block & CHMU_LOCATOR_OFFSET))
			end = min(end, offset);
	}
	return end;
}

/* All blocks that the register locator names. The driver holds the device. */
static void units_start(struct pci_dev *pdev)
{
	u16 at = pci_find_dvsec_capability(pdev, PCI_VENDOR_ID_CXL, CHMU_LOCATOR);
	unsigned int nr = at ? locator_entries(pdev, at) : 0, i;

	for (i = 0; i < nr; i++) {
		u64 entry = locator_entry(pdev, at, i);

		if (chmu_get(entry, CHMU_LOCATOR_BLOCK) == CHMU_LOCATOR_IS_CHMU)
			unit_add(pdev, chmu_get(entry, CHMU_LOCATOR_BAR),
				 entry & CHMU_LOCATOR_OFFSET, locator_end(pdev, at, entry));
	}
}

/* Those of a device, or all for NULL. */
static void units_stop(const struct pci_dev *pdev)
{
	struct unit *unit, *next;

	list_for_each_entry_safe(unit, next, &units, list)
		if (!pdev || unit->pdev == pdev)
			unit_stop(unit);
}

static bool has_units(const struct pci_dev *pdev)
{
	const struct unit *unit;

	list_for_each_entry(unit, &units, list)
		if (unit->pdev == pdev)
			return true;
	return false;
}

/* Under the device's lock: its driver does not change. */
static void device_look(struct pci_dev *pdev)
{
	const struct device_driver *driver = pdev->dev.driver;

	mutex_lock(&units_lock);
	if (running && driver && !strcmp(driver->name, CXL_DRIVER) && !has_units(pdev))
		units_start(pdev);
	mutex_unlock(&units_lock);
}

/* The device's lock is held. */
static int bus_event(struct notifier_block *block, unsigned long action, void *data)
{
	struct pci_dev *pdev = to_pci_dev(data);

	if (pdev->class != CXL_CLASS)
		return NOTIFY_DONE;
	if (action == BUS_NOTIFY_BOUND_DRIVER) {
		device_look(pdev);
	} else if (action == BUS_NOTIFY_UNBIND_DRIVER) {
		mutex_lock(&units_lock);
		units_stop(pdev);
		mutex_unlock(&units_lock);
	}
	return NOTIFY_OK;
}

static struct notifier_block bus_notifier = { .notifier_call = bus_event };

/* On return no unit is read any more. */
static void chmu_pci_stop(void)
{
	/*
	 * The notifier is still registered here, so that a device which goes meanwhile does not go
	 * while its interrupt is still requested.
	 */
	mutex_lock(&units_lock);
	running = false;
	units_stop(NULL);
	mutex_unlock(&units_lock);
	bus_unregister_notifier(&pci_bus_type, &bus_notifier);
}

/* Returns 0, or why no unit can be used. */
static int chmu_pci_start(void)
{
	struct pci_dev *pdev = NULL;
	bool none;
	int ret;

	ret = bus_register_notifier(&pci_bus_type, &bus_notifier);
	if (ret)
		return ret;
	mutex_lock(&units_lock);
	running = true;
	mutex_unlock(&units_lock);
	while ((pdev = pci_get_class(CXL_CLASS, pdev))) {
		device_lock(&pdev->dev);
		device_look(pdev);
		device_unlock(&pdev->dev);
	}
	mutex_lock(&units_lock);
	none = list_empty(&units);
	mutex_unlock(&units_lock);
	if (!none)
		return 0;
	chmu_pci_stop();
	pghot_source_unavailable(&pghot_chmu_source,
				 "no CXL memory device has one that can be used");
	return -ENODEV;
}

struct pghot_source pghot_chmu_source = {
	.name = "chmu",
	.title = "CXL HMU",
	.bit = CHMU_BIT,
	.start = chmu_pci_start,
	.stop = chmu_pci_stop,
	.part = {
		.tunables = TUNABLES(&pghot_hmu_threshold),
		.counters = COUNTERS(COUNTER(recorded_chmu), COUNTER(hmu_entries),
				     COUNTER(hmu_unmapped), COUNTER(hmu_overflows),
				     COUNTER(hmu_errors), COUNTER(hmu_cpu_ns)),
		.events = EVENTS(EVENT(pghot_hmu)),
		.files = TEXTFILES(&pghot_chmu_map_file),
	},
};
