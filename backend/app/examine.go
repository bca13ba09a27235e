package app

import "context"

// Finding is what a check of a setting found.
type Finding struct {
	Name string // of the setting
	OK   bool
	Text string // the value, or what is missing
}

// ExaminePages checks what reading pages depends on.
func ExaminePages(ctx context.Context) []Finding {
	return []Finding{examineBrowser(ctx), examineMemory(), examineScrapes(), examineModel()}
}

// ExamineWork checks the other settings of backends.
func ExamineWork() []Finding {
	return []Finding{examineProxies(), examineHostLimits(), examineSearch(), examineJobs(), examineNotifying(), examineReconciling()}
}
