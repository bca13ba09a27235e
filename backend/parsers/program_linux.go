package parsers

// thisProgram is the running program, even if its file was replaced or cannot be found by name.
func thisProgram() (string, error) { return "/proc/self/exe", nil }
