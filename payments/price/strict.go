package price

import "github.com/turnpike-edge/turnpike/payments/edgewire"

// checkJSON holds bodies and documents to the reading that edge and upstream share.
func checkJSON(data []byte) error { return edgewire.CheckJSON(data) }
