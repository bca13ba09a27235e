package price

import "github.com/turnpike-edge/turnpike/payments/edgewire"

// checkJSON refuses JSON that edge and upstream could read differently.
func checkJSON(data []byte) error { return edgewire.CheckJSON(data) }
