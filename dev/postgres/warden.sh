# Standard input is a pipe that only the owner of the server holds. It carries the server's process id, or 0 once the
# owner has seen it end; the end of the file means that the owner is done or dead. A process id that was never
# taken back belongs to a child of the dead owner, so it cannot have gone to another process.
pid=0
while read -r word; do pid=$word; done

if [ "$pid" -gt 0 ] && kill -INT "$pid" 2>/dev/null; then
	tries=0
	while kill -0 "$pid" 2>/dev/null; do
		tries=$((tries + 1))
		case $tries in
		300) kill -QUIT "$pid" 2>/dev/null ;;
		400) kill -KILL "$pid" 2>/dev/null ;;
		500) break ;;
		esac
		sleep 0.1
	done
fi

# Backends of a killed server may write for a moment longer.
for dir in "$@"; do
	tries=0
	until rm -rf -- "$dir" 2>/dev/null && [ ! -e "$dir" ]; do
		tries=$((tries + 1))
		[ "$tries" -lt 50 ] || break
		sleep 0.1
	done
done
