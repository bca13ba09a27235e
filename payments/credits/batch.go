package credits

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// slotsMax is the number of slots in a batch's bit strings (meter_batch.ended).
const slotsMax = 1024

// batch is the work of one statement. Its slices and maps are reused.
type batch struct {
	id      uuid.UUID
	waiters []*waiter // in order of their slots once the batch is filled
	left    []*waiter // moved to the next batch: the sum of the account's amounts would overflow
	ends    []end
	// careful makes the batch check each end before it is applied, because the database refused one.
	careful bool
	// wary makes the batch skip accounts that another transaction has locked, instead of waiting for them.
	wary bool

	params  db.MeterBatchParams
	spans   []span            // by position in params.AccountIds
	touched map[uuid.UUID]int // positions in params.EndBatchIds
	masks   [][]byte          // what EndMasks and CaptureMasks point to
}

// newBatch returns an empty batch. Its arrays are never nil, because the statement would see nil as null.
func newBatch() *batch {
	return &batch{
		touched: make(map[uuid.UUID]int),
		params: db.MeterBatchParams{
			EndBatchIds: []uuid.UUID{}, EndMasks: []pgtype.Bits{}, CaptureMasks: []pgtype.Bits{},
			AccountIds: []int64{}, Firsts: []int32{}, Lasts: []int32{}, Leasts: []int64{}, Totals: []int64{}, Freed: []int64{},
			SlotAccountIds: []int64{}, KeyIds: []int64{}, Amounts: []int64{}, Sums: []int64{}, Operations: []string{}, OperationNums: []int16{},
			Unused:          pgtype.Bits{Bytes: make([]byte, slotsMax/8), Len: slotsMax, Valid: true},
			UsageAccountIds: []int64{}, UsageKeyIds: []int64{}, UsageAmounts: []int64{}, UsageNs: []int32{},
			UsageOperations: []string{}, UsageOperationNums: []int16{},
		},
	}
}

// span is the result for the requests of one account.
type span struct {
	first, last      int // slots, from 0; last is exclusive
	changed          bool
	taken, available int64
}

// fill computes the sums that the statement needs and writes its arrays.
func (b *batch) fill(edge uuid.UUID, revenue int64) db.MeterBatchParams {
	p := &b.params
	p.Wary, p.ID, p.EdgeID, p.RevenueAccount = b.wary, b.id, edge, revenue
	b.placeRequests()
	b.markEnds()
	b.addUsage()
	b.addAccounts()
	return *p
}

// placeRequests gives each request its slot: the requests of one account lie together, in the order of arrival.
func (b *batch) placeRequests() {
	p := &b.params
	slices.SortStableFunc(b.waiters, func(x, y *waiter) int { return cmp.Compare(x.req.Account, y.req.Account) })
	p.SlotAccountIds, p.KeyIds, p.Amounts, p.Sums = p.SlotAccountIds[:0], p.KeyIds[:0], p.Amounts[:0], p.Sums[:0]
	p.Operations, p.OperationNums = p.Operations[:0], p.OperationNums[:0]
	b.left = b.left[:0]
	kept := b.waiters[:0]
	var account, sum int64
	for i, w := range b.waiters {
		amount := int64(w.req.Amount)
		if i == 0 || w.req.Account != account {
			account, sum = w.req.Account, 0
		}
		if amount > math.MaxInt64-sum {
			sum = math.MaxInt64 // the account's later requests wait too
			b.left = append(b.left, w)
			continue
		}
		sum += amount
		kept = append(kept, w)
		p.SlotAccountIds = append(p.SlotAccountIds, account)
		p.KeyIds = append(p.KeyIds, w.req.Key)
		p.Amounts = append(p.Amounts, amount)
		p.Sums = append(p.Sums, sum)
		p.OperationNums = append(p.OperationNums, numberOf(&p.Operations, w.req.Operation))
	}
	b.waiters = kept
	clear(p.Unused.Bytes)
	for slot := len(kept); slot < slotsMax; slot++ {
		setBit(p.Unused.Bytes, slot)
	}
}

// numberOf returns the position of a name in a short list, from 1, and adds the name if it is missing.
func numberOf(names *[]string, name string) int16 {
	i := slices.Index(*names, name)
	if i < 0 {
		i = len(*names)
		*names = append(*names, name)
	}
	return int16(i + 1) //nolint:gosec // at most BatchMaxMost
}

// markEnds sets the bits of the ending slots in their batches' bit strings and drops duplicates: the first end of a
// hold counts.
func (b *batch) markEnds() {
	p := &b.params
	clear(b.touched)
	p.EndBatchIds, p.EndMasks, p.CaptureMasks = p.EndBatchIds[:0], p.EndMasks[:0], p.CaptureMasks[:0]
	kept := b.ends[:0]
	for _, e := range b.ends {
		id, slot := e.hold.id.Batch(), e.hold.id.Slot()
		at, ok := b.touched[id]
		if !ok {
			at = len(p.EndBatchIds)
			b.touched[id] = at
			p.EndBatchIds = append(p.EndBatchIds, id)
			p.EndMasks = append(p.EndMasks, b.mask(2*at))
			p.CaptureMasks = append(p.CaptureMasks, b.mask(2*at+1))
		}
		if slot >= slotsMax || hasBit(p.EndMasks[at].Bytes, slot) {
			continue
		}
		setBit(p.EndMasks[at].Bytes, slot)
		if e.capture > 0 {
			setBit(p.CaptureMasks[at].Bytes, slot)
		}
		kept = append(kept, e)
	}
	b.ends = kept
}

// mask returns the i-th of the batch's bit strings, cleared.
func (b *batch) mask(i int) pgtype.Bits {
	for len(b.masks) <= i {
		b.masks = append(b.masks, make([]byte, slotsMax/8))
	}
	clear(b.masks[i])
	return pgtype.Bits{Bytes: b.masks[i], Len: slotsMax, Valid: true}
}

// Postgres counts the bits of a string from the first one, which is the highest of the first byte.
func setBit(bits []byte, i int)      { bits[i/8] |= 0x80 >> (i % 8) }
func hasBit(bits []byte, i int) bool { return bits[i/8]&(0x80>>(i%8)) != 0 }

// addUsage writes one row for all captures with the same account, key and operation.
func (b *batch) addUsage() {
	p := &b.params
	slices.SortFunc(b.ends, func(x, y end) int {
		return cmp.Or(
			cmp.Compare(x.hold.req.Account, y.hold.req.Account), cmp.Compare(x.hold.req.Key, y.hold.req.Key),
			strings.Compare(x.hold.req.Operation, y.hold.req.Operation))
	})
	p.UsageAccountIds, p.UsageKeyIds, p.UsageAmounts = p.UsageAccountIds[:0], p.UsageKeyIds[:0], p.UsageAmounts[:0]
	p.UsageNs, p.UsageOperations, p.UsageOperationNums = p.UsageNs[:0], p.UsageOperations[:0], p.UsageOperationNums[:0]
	for i := range b.ends {
		e := &b.ends[i]
		if e.capture == 0 {
			continue
		}
		operation := numberOf(&p.UsageOperations, e.hold.req.Operation)
		last := len(p.UsageNs) - 1
		if last >= 0 && p.UsageAccountIds[last] == e.hold.req.Account && p.UsageKeyIds[last] == e.hold.req.Key &&
			p.UsageOperationNums[last] == operation {
			p.UsageNs[last]++
			p.UsageAmounts[last] += int64(e.capture)
			continue
		}
		p.UsageAccountIds = append(p.UsageAccountIds, e.hold.req.Account)
		p.UsageKeyIds = append(p.UsageKeyIds, e.hold.req.Key)
		p.UsageAmounts = append(p.UsageAmounts, int64(e.capture))
		p.UsageNs = append(p.UsageNs, 1)
		p.UsageOperationNums = append(p.UsageOperationNums, operation)
	}
}

// addAccounts merges the accounts of the requests and of the ends, both already sorted, and computes the sums of each.
// Ends that capture all that was held free nothing, so they change no account.
func (b *batch) addAccounts() {
	p := &b.params
	p.AccountIds, p.Firsts, p.Lasts = p.AccountIds[:0], p.Firsts[:0], p.Lasts[:0]
	p.Leasts, p.Totals, p.Freed = p.Leasts[:0], p.Totals[:0], p.Freed[:0]
	p.Requesting = 0
	b.spans = b.spans[:0]
	slot, next := 0, 0
	for slot < len(b.waiters) || next < len(b.ends) {
		account := int64(math.MaxInt64)
		if slot < len(b.waiters) {
			account = p.SlotAccountIds[slot]
		}
		if next < len(b.ends) {
			account = min(account, b.ends[next].hold.req.Account)
		}
		first := slot
		for slot < len(b.waiters) && p.SlotAccountIds[slot] == account {
			slot++
		}
		var freed money.Credits
		for ; next < len(b.ends) && b.ends[next].hold.req.Account == account; next++ {
			freed += b.ends[next].hold.req.Amount - b.ends[next].capture
		}
		if slot == first && freed == 0 {
			continue
		}
		least, total := int64(-1), int64(0)
		if slot > first {
			least, total = p.Sums[first], p.Sums[slot-1]
			p.Requesting++
		}
		p.AccountIds = append(p.AccountIds, account)
		p.Firsts = append(p.Firsts, int32(first+1)) //nolint:gosec // at most slotsMax
		p.Lasts = append(p.Lasts, int32(slot))      //nolint:gosec // at most slotsMax
		p.Leasts, p.Totals = append(p.Leasts, least), append(p.Totals, total)
		p.Freed = append(p.Freed, int64(freed))
		b.spans = append(b.spans, span{first: first, last: slot})
	}
}

// hold returns the hold of the request in a slot, if the request is accepted.
func (b *batch) hold(slot int) Hold {
	return Hold{id: holdID(b.id, slot), req: b.waiters[slot].req}
}
