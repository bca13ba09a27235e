package searches

// BareHost parses a host of include_domains and exclude_domains.
func BareHost(name string) (string, error) { return bareHost(name) }
