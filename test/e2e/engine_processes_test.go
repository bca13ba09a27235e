//go:build linux

package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// groupOf returns the living processes of a process group.
func groupOf(leader int) []int {
	var members []int
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		// "pid (name) state ppid pgrp …": the name may hold anything (proc(5)).
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if len(fields) < 3 || fields[0] == "Z" || fields[2] != strconv.Itoa(leader) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			members = append(members, pid)
		}
	}
	return members
}

// profileOf returns the profile directory of the browser that leads a group, from its command line.
func profileOf(leader int) string {
	for _, arg := range arguments(leader) {
		if profile, ok := strings.CutPrefix(arg, "--user-data-dir="); ok {
			return profile
		}
	}
	return ""
}

// usersOf returns the processes whose command line contains a directory.
func usersOf(profile string) []int {
	var users []int
	paths, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range paths {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			continue
		}
		for _, arg := range arguments(pid) {
			if strings.Contains(arg, profile) {
				users = append(users, pid)
				break
			}
		}
	}
	return users
}

func arguments(pid int) []string {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil {
		return nil
	}
	return strings.Split(string(text), "\x00")
}
