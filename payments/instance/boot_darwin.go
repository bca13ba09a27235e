package instance

import "syscall"

// bootID identifies the running kernel. Empty if it is unknown.
func bootID() string {
	id, err := syscall.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return id
}
