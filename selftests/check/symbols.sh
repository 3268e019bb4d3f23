# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Tests that the libraries of the vendor APIs have in common: which symbols they
# and their archives have, and whether programs can be built with what is
# installed. The caller is in the top folder, and sets parts to the folders of
# libmem/compat that it installs. Sets build and tmp, a folder that is removed
# at exit. LIBRARY is a name without "libmem-".

build=$PWD/build
[ -z "$HEAPSIM_BUILD" ] || build=$(cd "$HEAPSIM_BUILD" && pwd)
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
parts=()

# Returns true if a file has no names, else prints the first ones.
nothing() # FILE
{
	[ ! -s "$1" ] && return
	head -n 20 "$1"
	return 1
}

# Prints the path of a library without its suffix.
path_of() # LIBRARY
{
	local so=("$build"/*/libmem-"$1".so)

	echo "${so[0]%.so}"
}

# Prints all symbols of a library with their versions.
symbols() # LIBRARY
{
	nm -D --defined-only "$(path_of "$1").so" |
		awk '$2 != "A" { print $3 }'
}

# Prints the names of its public symbols.
exported() # LIBRARY
{
	symbols "$1" | sed '/PRIVATE$/d; s/@@.*//' | sort
}

# Each symbol must match the pattern of names with versions.
versioned() # LIBRARY PATTERN
{
	symbols "$1" | grep -vE "$2" >"$tmp/differ"
	nothing "$tmp/differ"
}

soname() # LIBRARY
{
	readelf -d "$(path_of "$1").so" | grep -qF "[libmem-$1.so.0]"
}

# The archive must have the same public functions as the library.
static() # LIBRARY PATTERN
{
	nm --defined-only "$(path_of "$1").a" 2>/dev/null |
		awk '$2 == "T" || $2 == "W" { print $3 }' | grep -E "$2" |
		sort >"$tmp/static"
	exported "$1" | grep -E "$2" | comm -3 - "$tmp/static" >"$tmp/differ"
	[ -s "$tmp/static" ] && nothing "$tmp/differ"
}

make_all() # TARGET [PREFIX]
{
	local prefix=${2:-$tmp/usr} part

	make --no-print-directory -s -C libmem O="$build/libmem" \
		PKGCONFIG_OUT="$build/pkgconfig" PREFIX="$prefix" PYTHON= \
		"$1" || return
	for part in "${parts[@]}"; do
		make --no-print-directory -s -C "libmem/compat/$part" \
			O="$build/$part" LIBMEM="$build/libmem" \
			PREFIX="$prefix" PKGCONFIG_OUT="$build/pkgconfig" \
			"$1" || return
	done
}

# Builds and runs program.c.
by_package() # PKGCONFIG LIBRARIES PACKAGE...
{
	local flags

	flags=$(PKG_CONFIG_PATH=$1 pkg-config --cflags --libs "${@:3}") ||
		return
	# shellcheck disable=SC2086 # several words
	gcc "$tmp/program.c" -o "$tmp/program" $flags -Wl,-rpath,"$2" \
		-Wl,-rpath-link,"$2" && "$tmp/program"
}

# The flags of pkg-config let a program find all libraries of a package.
installed_builds() # PACKAGE...
{
	make_all install &&
		by_package "$tmp/usr/lib/pkgconfig" "$tmp/usr/lib" "$@"
}

# Two that are installed from one build at once each find their own files.
two_at_once()
{
	local prefix pids=()

	for prefix in "$tmp/one" "$tmp/two"; do
		make_all install "$prefix" &
		pids+=($!)
	done
	wait "${pids[0]}" && wait "${pids[1]}" || return
	for prefix in "$tmp/one" "$tmp/two"; do
		[ "$(sed -n 's/^prefix=//p' "$prefix"/lib/pkgconfig/*.pc |
			sort -u)" = "$prefix" ] || return
	done
}

uninstalled_is_gone()
{
	make_all uninstall && make_all uninstall || return
	find "$tmp/usr" ! -type d >"$tmp/left"
	nothing "$tmp/left"
}
