/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interrupt.h: signals that end the program wait for the file that is being written.
 *
 * SIGINT, SIGTERM and SIGHUP are blocked in all threads but taken by one of this object's. It
 * ends the process by that same signal, so that whoever waits for it sees 128+n, once no write
 * is under way.
 */
#pragma once

#include <gio/gio.h>

struct interrupt;

/* To be called before any other thread is started, since threads inherit what is blocked. A
 * signal that is ignored stays ignored (nohup). */
struct interrupt *interrupt_new(void);
void interrupt_free(struct interrupt *interrupt);

/* Cancelled when such a signal arrives: long work inside interrupt_enter() ends itself by it. */
GCancellable *interrupt_cancellable(struct interrupt *interrupt);

/* Around each write. interrupt_enter() does not return once a signal has arrived. Thread-safe. */
void interrupt_enter(struct interrupt *interrupt);
void interrupt_leave(struct interrupt *interrupt);

/* Around work of one thread that has writes in it and must come to its own end, a quick one once
 * interrupt_cancellable() is cancelled: a domain that was shut down is started again. One thread
 * at a time. */
void interrupt_enter_long(struct interrupt *interrupt);
void interrupt_leave_long(struct interrupt *interrupt);

/* Ends the process by @number as if it had arrived with its default effect. */
void interrupt_die(int number) G_GNUC_NORETURN;
