package postgres

import (
	"context"
	"errors"
)

func findOrInstall(ctx context.Context, cfg Config, major int) (Installation, error) {
	search := cfg.Search
	search.Major = major
	inst, err := Find(ctx, search)
	var missing *NotFoundError
	if !errors.As(err, &missing) {
		return inst, err
	}
	return Installation{}, err
}
