package instance

import (
	"os"
	"strings"
)

// bootID names the running kernel; containers have that of their host. Empty if it is unknown.
func bootID() string {
	text, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
