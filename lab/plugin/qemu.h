/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the plugin uses of QEMU 10.0: the public plugin API, version 4, and a
 * few symbols that are private to QEMU but exported by distribution builds
 * (they are built with loadable modules, which exports every global symbol).
 *
 * No distribution package ships the API's header, so the declarations are
 * written here. They must agree with the binary's ABI, not with its text.
 */
#ifndef TIERMEM_QEMU_H
#define TIERMEM_QEMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- public API ---- */

#define QEMU_PLUGIN_API_VERSION	4

/* QEMU reads this symbol to see which API the plugin was built for. */
extern int qemu_plugin_version;

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;

struct qemu_info {
	const char *target_name;
	struct {
		int min;
		int cur;
	} version;
	bool system_emulation;
	struct {
		int smp_vcpus;
		int max_vcpus;
	} system;
};

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_hwaddr;
struct qemu_plugin_scoreboard;

/* One 64-bit field of every vCPU's scoreboard element. */
struct qemu_plugin_u64 {
	struct qemu_plugin_scoreboard *score;
	size_t offset;
};

enum qemu_plugin_cb_flags {
	QEMU_PLUGIN_CB_NO_REGS = 0,
	QEMU_PLUGIN_CB_R_REGS = 1,	/* the callback reads registers */
};

enum qemu_plugin_mem_rw {
	QEMU_PLUGIN_MEM_R = 1,
	QEMU_PLUGIN_MEM_W = 2,
};

enum qemu_plugin_cond {
	QEMU_PLUGIN_COND_GE = 7,	/* unsigned */
};

enum qemu_plugin_op {
	QEMU_PLUGIN_INLINE_ADD_U64 = 0,
};

typedef void (*qemu_plugin_simple_cb_t)(qemu_plugin_id_t id);
typedef void (*qemu_plugin_vcpu_simple_cb_t)(qemu_plugin_id_t id, unsigned int vcpu);
typedef void (*qemu_plugin_vcpu_udata_cb_t)(unsigned int vcpu, void *userdata);
typedef void (*qemu_plugin_vcpu_tb_trans_cb_t)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void (*qemu_plugin_vcpu_mem_cb_t)(unsigned int vcpu, qemu_plugin_meminfo_t info,
					  uint64_t vaddr, void *userdata);

/* Unregister everything, flush all translations, then call @cb. */
void qemu_plugin_reset(qemu_plugin_id_t id, qemu_plugin_simple_cb_t cb);

void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_simple_cb_t cb);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
					   qemu_plugin_vcpu_tb_trans_cb_t cb);

void qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(struct qemu_plugin_tb *tb,
						       enum qemu_plugin_op op,
						       struct qemu_plugin_u64 entry,
						       uint64_t imm);
void qemu_plugin_register_vcpu_tb_exec_cond_cb(struct qemu_plugin_tb *tb,
					       qemu_plugin_vcpu_udata_cb_t cb,
					       enum qemu_plugin_cb_flags flags,
					       enum qemu_plugin_cond cond,
					       struct qemu_plugin_u64 entry,
					       uint64_t imm, void *userdata);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    qemu_plugin_vcpu_udata_cb_t cb,
					    enum qemu_plugin_cb_flags flags, void *userdata);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
				      qemu_plugin_vcpu_mem_cb_t cb,
				      enum qemu_plugin_cb_flags flags,
				      enum qemu_plugin_mem_rw rw, void *userdata);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t idx);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *dest, size_t len);

enum qemu_plugin_mem_value_type {
	QEMU_PLUGIN_MEM_VALUE_U64 = 3,
};

/* What an access has loaded or stored: up to 128 bits, of which the first ones come first. */
struct qemu_plugin_mem_value {
	enum qemu_plugin_mem_value_type type;
	uint64_t data[2];
};

struct qemu_plugin_mem_value qemu_plugin_mem_get_value(qemu_plugin_meminfo_t info);

struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(qemu_plugin_meminfo_t info, uint64_t vaddr);
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *haddr);
uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *haddr);

struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t element_size);
void *qemu_plugin_scoreboard_find(struct qemu_plugin_scoreboard *score, unsigned int vcpu);

/* GLib's GArray and GByteArray, by which registers go. */
struct glib_array {
	void *data;
	unsigned int len;	/* elements */
};

struct glib_array *g_byte_array_new(void);
uint8_t *g_byte_array_free(struct glib_array *array, int free_data);
char *g_array_free(struct glib_array *array, int free_data);

struct qemu_plugin_register;

struct qemu_plugin_reg_descriptor {
	struct qemu_plugin_register *handle;
	const char *name;
	const char *feature;
};

/* Descriptors of the vCPU that calls, for the caller to free; from when the vCPU starts. */
struct glib_array *qemu_plugin_get_registers(void);

/* Append the register's bytes to @bytes; how many, or -1. */
int qemu_plugin_read_register(struct qemu_plugin_register *reg, struct glib_array *bytes);

/* ---- private symbols ---- */

/*
 * The shipped time-control call cannot set guest time under TCG, so clock.c
 * replaces the clock functions of QEMU's accelerator class at run time. All
 * symbols are weak: a QEMU without one is refused with its name in the
 * message instead of a failure of the dynamic linker.
 */
#define QEMU_PRIVATE __attribute__((weak))

/* Finds the class structure "tcg-accel-ops", which holds the clock functions. */
extern QEMU_PRIVATE void *module_object_class_by_name(const char *name);

/*
 * What -icount puts into the class. Its address tells where the clock functions
 * are; its value, with icount_get_raw(), checks the layout of timers_state.
 */
extern QEMU_PRIVATE int64_t icount_get(void);
extern QEMU_PRIVATE int64_t icount_get_raw(void);

/* Instructions to ns: tells whether -icount shift=0 was given. */
extern QEMU_PRIVATE int64_t icount_to_ns(int64_t icount);

/* Holds the sum of the idle warps of -icount sleep=off at TIMERS_STATE_WARP. */
extern QEMU_PRIVATE char timers_state[];
#define TIMERS_STATE_WARP	40

/* Time to the next timer of the guest's clock, ns; 0 if one has expired. */
extern QEMU_PRIVATE int64_t qemu_clock_deadline_ns_all(int clock, int attr_mask);
#define QEMU_CLOCK_VIRTUAL	1
#define QEMU_TIMER_ATTR_ALL	0xffffffff

/* vCPU by index, and the request to leave the guest code at the next block. */
extern QEMU_PRIVATE void *qemu_get_cpu(int index);
extern QEMU_PRIVATE void cpu_exit(void *cpu);

/*
 * Have the software TLB of the vCPU @cpu forget all, on its own thread. It grows with what the
 * guest uses, and a page in it is not walked, so that its accessed bit is not set again. The
 * plugin API of QEMU 10.0 cannot write registers, which would have this effect.
 */
extern QEMU_PRIVATE void tlb_flush(void *cpu);

/* Where QEMU has the RAM at the physical address @pa; *@len: bytes wanted, and got. */
extern QEMU_PRIVATE void *cpu_physical_memory_map(uint64_t pa, uint64_t *len, bool is_write);

/*
 * With one thread for several vCPUs QEMU 10.0 compiles the index of the vCPU
 * that translates into blocks that all vCPUs share, and corrupts it on the way.
 * CF_PARALLEL makes it load the index at run time.
 */
extern QEMU_PRIVATE void tcg_cflags_set(void *cpu, uint32_t flags);
#define CF_PARALLEL		0x00008000

#endif
