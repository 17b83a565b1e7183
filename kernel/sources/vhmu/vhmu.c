// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: The lab's virtual hotness monitoring unit
 *
 * It is an ivshmem device, which the lab's model of a machine fills with what it counts. It has
 * the registers of CXL's units.
 */
#include <linux/atomic.h>
#include <linux/io-64-nonatomic-lo-hi.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include "sources/chmu/regs.h"
#include "sources/chmu/unit.h"
#include "sources/sources.h"
#include "sources/vhmu/layout.h"
#include "testing/inject.h"

/* Place in enabled_sources. */
#define VHMU_BIT	8

PGHOT_DECLARE_SOURCE(vhmu);
PGHOT_RECORDED(recorded_vhmu, VHMU_BIT);

/* The BAR of an ivshmem device that its shared memory is in. */
#define VHMU_BAR	2

static atomic_t devices = ATOMIC_INIT(0);

/* Any ivshmem device: only the shared memory's content tells one of the lab's. */
static const struct pci_device_id vhmu_ids[] = {
	{ PCI_DEVICE(PCI_VENDOR_ID_REDHAT_QUMRANET, 0x1110) },
	{ }
};

/* Returns how many ranges there are, 0 if that cannot be. */
static unsigned int read_map(void __iomem *shared, u64 room, struct chmu_range *map)
{
	u64 nr = readq(shared + VHMU_NR_RANGES_AT), i;

	if (nr > CHMU_RANGES_MAX || VHMU_RANGES_AT + nr * VHMU_RANGE_BYTES > room)
		return 0;
	for (i = 0; i < nr; i++) {
		void __iomem *range = shared + VHMU_RANGES_AT + i * VHMU_RANGE_BYTES;

		map[i] = (struct chmu_range) {
			.dpa = readq(range + VHMU_RANGE_DPA),
			.size = readq(range + VHMU_RANGE_SIZE),
			.hpa = readq(range + VHMU_RANGE_HPA),
			.ways = readq(range + VHMU_RANGE_WAYS),
			.granularity = readq(range + VHMU_RANGE_GRANULARITY),
			.position = readq(range + VHMU_RANGE_POSITION),
		};
	}
	return nr;
}

static struct chmu *vhmu_open(struct pci_dev *pdev, void __iomem *shared, u64 room)
{
	u64 at = readq(shared + VHMU_BLOCK_AT);
	struct chmu_block block = { .src = VHMU_BIT };
	struct chmu_range *map;
	struct chmu *chmu;
	char name[40];

	map = inject_alloc(NULL, kcalloc(CHMU_RANGES_MAX, sizeof(*map), GFP_KERNEL));
	if (!map)
		return ERR_PTR(-ENOMEM);
	snprintf(name, sizeof(name), "virtual HMU %s", pci_name(pdev));
	block.name = name;
	block.map = map;
	block.nr_ranges = read_map(shared, room, map);
	/* One that is elsewhere has no room. */
	if (!(at % 8) && at < room) {
		block.regs = shared + at;
		block.room = room - at;
	}
	chmu = pghot_chmu_start(&block);
	kfree(map);
	return chmu;
}

static int vhmu_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	u64 room = pci_resource_len(pdev, VHMU_BAR);
	void __iomem *shared;
	struct chmu *chmu;
	int ret;

	ret = pcim_enable_device(pdev);
	if (ret)
		return ret;
	shared = pcim_iomap_region(pdev, VHMU_BAR, "pghot");
	if (IS_ERR(shared))
		return PTR_ERR(shared);
	if (room < VHMU_RANGES_AT || readq(shared + VHMU_MAGIC_AT) != VHMU_MAGIC ||
	    readq(shared + VHMU_VERSION_AT) != VHMU_VERSION)
		return -ENODEV;
	chmu = vhmu_open(pdev, shared, room);
	if (IS_ERR(chmu))
		return PTR_ERR(chmu);
	pci_set_drvdata(pdev, chmu);
	atomic_inc(&devices);
	return 0;
}

static void vhmu_remove(struct pci_dev *pdev)
{
	atomic_dec(&devices);
	pghot_chmu_stop(pci_get_drvdata(pdev));
}

static struct pci_driver vhmu_driver = {
	.name = "pghot_vhmu",
	.id_table = vhmu_ids,
	.probe = vhmu_probe,
	.remove = vhmu_remove,
};

/* Returns 0, or why no unit can be used. */
static int vhmu_start(void)
{
	int ret = pci_register_driver(&vhmu_driver);

	if (ret || atomic_read(&devices))
		return ret;
	pci_unregister_driver(&vhmu_driver);
	pghot_source_unavailable(&pghot_vhmu_source, "there is no such device that can be used");
	return -ENODEV;
}

/* On return no unit is read any more. */
static void vhmu_stop(void)
{
	pci_unregister_driver(&vhmu_driver);
}

struct pghot_source pghot_vhmu_source = {
	.name = "vhmu",
	.title = "virtual HMU",
	.bit = VHMU_BIT,
	.start = vhmu_start,
	.stop = vhmu_stop,
	.part.counters = COUNTERS(COUNTER(recorded_vhmu)),
};
