package jobs

import (
	"cmp"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
)

// driver is River's own driver, except that it can listen on another pool than it works on.
type driver struct {
	*riverpgxv5.Driver
	listens *riverpgxv5.Driver
}

func driverOf(cfg Config) riverdriver.Driver[pgx.Tx] {
	return driver{Driver: riverpgxv5.New(cfg.Pool), listens: riverpgxv5.New(cmp.Or(cfg.Listens, cfg.Pool))}
}

// GetListener implements riverdriver.Driver.
func (d driver) GetListener(params *riverdriver.GetListenenerParams) riverdriver.Listener {
	return d.listens.GetListener(params)
}
