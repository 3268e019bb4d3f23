# SPDX-License-Identifier: LGPL-2.1-or-later
#
# For gdb on a program with libmem: gdb -x libmem.gdbinit PROGRAM, or a line
# "source .../libmem.gdbinit" in ~/.gdbinit.

# A touch of a page that is looked at is SIGSEGV, in the application and in an
# engine: the library handles it.
handle SIGSEGV nostop noprint pass

# So is the system call of a fork beside registered memory SIGSYS.
handle SIGSYS nostop noprint pass

define debug-engines
	set detach-on-fork off
	set schedule-multiple on
end
document debug-engines
Follow the engines, too: a breakpoint in a kernel stops there.
end
