# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Completion of heapsim for bash, without other programs. The module's
# parameters and their values are read from `heapsim load --list`.

# Sets name and value from NAME=VALUE, where VALUE is being completed: readline
# splits words at '='. Returns false if there is no such word.
_heapsim_value()
{
	local cur=${COMP_WORDS[COMP_CWORD]}

	if [ "$cur" = = ]; then
		name=${COMP_WORDS[COMP_CWORD - 1]} value=
	elif [ "${COMP_WORDS[COMP_CWORD - 1]}" = = ]; then
		name=${COMP_WORDS[COMP_CWORD - 2]} value=$cur
	else
		case $cur in
		*=*) return 1 ;;	# readline did not split at this '='
		esac
		case ${COMP_WORDS[COMP_CWORD - 1]} in
		--module|-m|--log-file|--json|--trace|--suppressions|--sort|-s|--soc|\
		--policy|--evict|--backend|--leak-check)
			name=${COMP_WORDS[COMP_CWORD - 1]} value=$cur ;;
		--wait|-w|--delay|-d|--count|-n|--seed|--error-exitcode)
			name=number value= ;;
		*)	return 1 ;;
		esac
	fi
}

# Prints a line PARAMETER=VALUE|VALUE for each parameter of the module to load.
_heapsim_parameters()
{
	local i word file=()

	for ((i = 2; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		-m|--module)
			[ "${COMP_WORDS[i + 1]}" != = ] || ((i++))
			# The path is not expanded, since it may hold commands.
			word=${COMP_WORDS[i + 1]//[\\\"\']/}
			file=(--module "${word/#"~/"/"$HOME/"}") ;;
		esac
	done
	heapsim load --list "${file[@]}" 2>/dev/null | grep -v '^ '
}

_heapsim_words() # WORD WORDS
{
	mapfile -t COMPREPLY < <(compgen -W "$2" -- "$1")
	case ${COMPREPLY[0]-} in
	*=) compopt -o nospace 2>/dev/null ;;
	esac
}

_heapsim_files() # WORD
{
	compopt -o filenames 2>/dev/null
	mapfile -t COMPREPLY < <(compgen -f -- "$1")
}

# Completes the value of a parameter, or of the option of run with its name.
_heapsim_parameter_value() # NAME VALUE
{
	local line

	while read -r line; do
		[ "${line%%=*}" = "${1#--}" ] || continue
		case ${line#*=} in
		NUMBER|TEXT) ;;
		*) _heapsim_words "$2" "$(tr '|' ' ' <<<"${line#*=}")" ;;
		esac
	done < <(_heapsim_parameters)
}

# Finds the program in the words of heapsim run: the first word that is neither
# an option nor its value.
_heapsim_program()
{
	local i

	for ((i = 2; i <= COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		--)	((i++))
			break ;;
		--soc|--policy|--evict|--seed|--error-exitcode|--log-file|\
		--json|--suppressions|--trace|--backend|--leak-check)
			((i++))
			[ "${COMP_WORDS[i]-}" != = ] || ((i++)) ;;
		-*)	;;
		*)	break ;;
		esac
	done
	echo "$i"
}

_heapsim_run() # WORD
{
	local at

	at=$(_heapsim_program)
	if [ "$at" -ge "$COMP_CWORD" ]; then
		case $1 in
		-*)	_heapsim_words "$1" "--backend= --soc= --policy= --evict=
				--seed= --leak-check= --precise --error-exitcode=
				--allow-no-context --allow-inline --log-file= --json=
				--suppressions= --gen-suppressions --trace=
				--help"
			return ;;
		*/*)	_heapsim_files "$1" ;;
		*)	compopt -o filenames 2>/dev/null
			mapfile -t COMPREPLY < <(compgen -c -f -- "$1") ;;
		esac
	elif declare -F _command_offset >/dev/null; then
		_command_offset "$at"	# as that program's own words
	else
		_heapsim_files "$1"
	fi
}

_heapsim()
{
	local cur=${COMP_WORDS[COMP_CWORD]} name='' value=''

	COMPREPLY=()
	if [ "$COMP_CWORD" = 1 ]; then
		_heapsim_words "$cur" "run load unload info stat top help
			--help --version"
		return
	fi
	if [ "${COMP_WORDS[1]}" = run ] &&
		[ "$(_heapsim_program)" -lt "$COMP_CWORD" ]; then
		_heapsim_run "$cur"
		return
	fi
	if _heapsim_value; then
		case $name in
		--module|-m|--log-file|--json|--suppressions|--trace)
			_heapsim_files "$value" ;;
		--sort|-s)
			_heapsim_words "$value" "id name kind size holders
				fills cleaned invalidated redundant findings" ;;
		--backend)
			_heapsim_words "$value" "auto embedded kernel" ;;
		--leak-check)
			_heapsim_words "$value" "yes no error" ;;
		number)	;;
		*)	_heapsim_parameter_value "$name" "$value" ;;
		esac
		return
	fi
	case ${COMP_WORDS[1]} in
	run)	_heapsim_run "$cur" ;;
	load)	case $cur in
		-*) _heapsim_words "$cur" "--module= --list --help" ;;
		*)  _heapsim_words "$cur" \
			"$(_heapsim_parameters | sed 's/=.*/=/')" ;;
		esac ;;
	unload)	_heapsim_words "$cur" "--wait= --help" ;;
	info)	_heapsim_words "$cur" "--json --help" ;;
	stat)	_heapsim_words "$cur" "--sort= --reverse --json --help" ;;
	top)	_heapsim_words "$cur" "--delay= --sort= --reverse --batch
			--count= --help" ;;
	esac
}

complete -F _heapsim heapsim
