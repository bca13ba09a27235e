package parsers

// thisProgram is the one that runs, also where its file was replaced meanwhile, or is not to be found by its name.
func thisProgram() (string, error) { return "/proc/self/exe", nil }
