# SPDX-License-Identifier: GPL-2.0-only
# Prints the targets of the Makefile with the text after '##', by section.

BEGIN {
	FS = ":.*## "
	print "usage: make [TARGET] [KERNEL=6.1|6.12|newest|6.1-arm64|" \
	      "newest-arm64-16k|debug|kcsan]"
}
/^##@ / {
	printf "\n%s\n", substr($0, 5)
}
/^[a-z-]+:.*## / {
	printf "  %-15s %s\n", $1, $2
}
END {
	print "\nOn a fresh machine: 'make demo', then 'make check'. Debian" \
	      " packages that are\nmissing are installed (as root or by sudo)."
}
