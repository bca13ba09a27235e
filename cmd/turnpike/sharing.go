package main

import (
	"fmt"
	"time"

	"github.com/turnpike-edge/turnpike/admission"
	"github.com/turnpike-edge/turnpike/backend/scrapes"
)

// scrapesName says how many scrapes run at once.
const (
	scrapesName = "TURNPIKE_SCRAPES"
	scrapesMin  = 2
	scrapesMax  = 100_000
)

const (
	// waitingMax is how many requests of one holder wait for a place, and of all without a key together.
	waitingMax = 64
	// placePatience is how long they do. largePatience is for bodies: an edge that asks for a quote waits 5 s for all of it.
	placePatience = 10 * time.Second
	largePatience = 3 * time.Second
)

// share makes a pool of which requests of all teams and wallets have their shares, and gives its metrics out.
func (b *backend) share(name string, size int64, patience time.Duration) *admission.Pool {
	p := admission.New(admission.Config{Name: name, Size: size, Waiting: waitingMax, Patience: patience})
	b.shares = append(b.shares, p)
	return p
}

// scrapePlacesFromEnv reads how many scrapes run at once.
func scrapePlacesFromEnv() (int, error) {
	places := scrapes.PlacesDefault
	return places, intFromEnv(scrapesName, scrapesMin, scrapesMax, &places)
}

// examineScrapes says how many scrapes run at once.
func examineScrapes() finding {
	const name = "Scrapes"
	places, err := scrapePlacesFromEnv()
	if err != nil {
		return finding{name, false, err.Error()}
	}
	return finding{name, true, fmt.Sprintf("%d at once in a backend, half of them of one team at most", places)}
}
