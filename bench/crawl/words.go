package main

import "strings"

// The words of the pages. They have no meaning here; they are English so that pages are detected as such.
var (
	nouns = strings.Fields(`harbour tide vessel anchor rope keel mast lantern signal channel estuary current depth chart compass
		cargo crane quay warehouse ledger captain pilot crew voyage storm forecast pressure cloud coast cliff beach dune marsh river
		bridge lock canal barge ferry timetable passenger ticket luggage island village market fishery net trawler catch oyster
		mussel salmon herring kelp reef shoal sandbank lighthouse keeper beacon buoy radio antenna engine piston fuel valve gauge
		repair dockyard timber plank varnish canvas sail shroud winch pulley hatch galley cabin bunk stove kettle biscuit barrel
		spice cotton wool iron copper coal grain flour museum archive painting portrait letter diary manuscript census parish`)
	verbs = strings.Fields(`measures carries follows repairs records crosses reaches guides explains compares shelters delays
		protects replaces describes collects supplies weighs signals widens narrows governs teaches improves restores examines
		divides connects surrounds feeds warms cools lifts lowers marks tests`)
	adjectives = strings.Fields(`northern southern narrow broad shallow deep quiet busy wooden rusty modern ancient seasonal
		annual careful rapid gentle heavy local distant coastal reliable costly modest remarkable ordinary curious sheltered
		exposed brackish tidal foggy granite slender hollow`)
	linkers = strings.Fields(`while because although whenever until since where after before unless`)
	places  = strings.Fields(`Aldermouth Brackenhaven Corriesand Dunmarsh Eastquay Fennport Gullhaven Holmsea Inverledge Kelpton
		Lowmere Marramoor Northkeel Oysterhithe Pebbleton Quayside Ravenness Saltby Tidewick Ulverstrand Wrackham Yarrowmouth`)
)
