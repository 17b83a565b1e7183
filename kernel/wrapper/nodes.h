/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Nodes that get their first memory, or lose their last
 *
 * Since 6.17 the kernel has a notifier for such nodes. Before, its notifier for memory told of
 * them.
 */
#ifndef PGHOT_WRAPPER_NODES_H
#define PGHOT_WRAPPER_NODES_H

#include <linux/memory.h>
#include <linux/node.h>
#include <linux/notifier.h>

#ifdef NODE_ADDED_FIRST_MEMORY

/**
 * pghot_nodes_register() - call a notifier of nodes from now on
 * @block: the notifier
 *
 * Process context, sleeps.
 *
 * Return: 0 or -errno.
 */
static inline int pghot_nodes_register(struct notifier_block *block)
{
	return register_node_notifier(block);
}

/**
 * pghot_nodes_unregister() - call a notifier of nodes no more
 * @block: from pghot_nodes_register()
 *
 * Process context, sleeps. On return nobody is inside the notifier.
 */
static inline void pghot_nodes_unregister(struct notifier_block *block)
{
	unregister_node_notifier(block);
}

/**
 * pghot_nodes_have_changed() - does a call of the notifier of nodes say that they have changed?
 * @action: second argument of the call
 *
 * Any context.
 */
static inline bool pghot_nodes_have_changed(unsigned long action)
{
	return action == NODE_ADDED_FIRST_MEMORY || action == NODE_REMOVED_LAST_MEMORY;
}

/**
 * pghot_nodes_change_with() - does a notice of memory stand for such a change, too?
 * @memory: what the notifier of memory was given, for MEM_ONLINE or MEM_OFFLINE
 *
 * Any context.
 *
 * Return: false if the notifier of nodes tells of it.
 */
static inline bool pghot_nodes_change_with(const struct memory_notify *memory)
{
	return false;
}

#else

static inline int pghot_nodes_register(struct notifier_block *block)
{
	return 0;
}

static inline void pghot_nodes_unregister(struct notifier_block *block)
{
}

static inline bool pghot_nodes_have_changed(unsigned long action)
{
	return false;
}

static inline bool pghot_nodes_change_with(const struct memory_notify *memory)
{
	return memory->status_change_nid >= 0;
}

#endif

#endif /* PGHOT_WRAPPER_NODES_H */
