running() {
	kill -0 "$1" 2>/dev/null || return 1
	[ -r "/proc/$1/stat" ] || return 0
	read -r stat <"/proc/$1/stat" || return 1
	case $stat in *') Z '*) return 1 ;; esac
}

pid=0
while read -r word; do pid=$word; done

if [ "$pid" -gt 0 ] && kill -INT "$pid" 2>/dev/null; then
	tries=0
	while running "$pid"; do
		tries=$((tries + 1))
		case $tries in
		300) kill -QUIT "$pid" 2>/dev/null ;;
		400) kill -KILL "$pid" 2>/dev/null ;;
		500) break ;;
		esac
		sleep 0.1
	done
fi

for dir in "$@"; do
	tries=0
	until rm -rf -- "$dir" 2>/dev/null && [ ! -e "$dir" ]; do
		tries=$((tries + 1))
		[ "$tries" -lt 50 ] || break
		sleep 0.1
	done
done
