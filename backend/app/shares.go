package app

import (
	"fmt"
	"time"

	"github.com/turnpike-edge/turnpike/admission"
	"github.com/turnpike-edge/turnpike/backend/scrapes"
)

// scrapesName is the variable with how many scrapes run at once.
const (
	scrapesName = "TURNPIKE_SCRAPES"
	scrapesMin  = 2
	scrapesMax  = 100_000
)

const (
	// waitingMax is how many requests of one holder can wait for a place, and of all holders without a key together.
	waitingMax = 64
	// placePatience is how long they wait. For large bodies it is largePatience: an edge waits 5 s in all for a quote.
	placePatience = 10 * time.Second
	largePatience = 3 * time.Second
)

// share creates a pool in which the requests of every team and wallet get a share, and exports its metrics.
func (b *Backend) share(name string, size int64, patience time.Duration) *admission.Pool {
	p := admission.New(admission.Config{Name: name, Size: size, Waiting: waitingMax, Patience: patience})
	b.shares = append(b.shares, p)
	return p
}

// scrapePlacesFromEnv reads how many scrapes run at once.
func scrapePlacesFromEnv() (int, error) {
	places := scrapes.PlacesDefault
	return places, intFromEnv(scrapesName, scrapesMin, scrapesMax, &places)
}

// examineScrapes reports how many scrapes run at once.
func examineScrapes() Finding {
	const name = "Scrapes"
	places, err := scrapePlacesFromEnv()
	if err != nil {
		return Finding{name, false, err.Error()}
	}
	return Finding{name, true, fmt.Sprintf("%d at once in a backend, at most half of them for one team", places)}
}
