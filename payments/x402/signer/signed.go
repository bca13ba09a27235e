package signer

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
)

// SignTransaction returns the signed transaction. The result of a signer is accepted only if it is exactly the requested
// transaction.
func SignTransaction(ctx context.Context, by Signer, asked *types.DynamicFeeTx) (*types.Transaction, error) {
	tx, err := by.SignTransaction(ctx, asked)
	if err == nil {
		err = checkSigned(asked, tx, by.Address())
	}
	return tx, err
}

// checkSigned compares a signed transaction with the requested one. The digest that is signed covers all of it.
func checkSigned(asked *types.DynamicFeeTx, got *types.Transaction, account common.Address) error {
	signer := types.LatestSignerForChainID(asked.ChainID)
	want := types.NewTx(asked)
	if got.Type() != want.Type() || got.ChainId().Cmp(asked.ChainID) != 0 || signer.Hash(got) != signer.Hash(want) {
		return fmt.Errorf("the signer signed a different transaction than requested: %s", differing(want, got))
	}
	if from, err := types.Sender(signer, got); err != nil || from != account {
		return fmt.Errorf("the signer signed for a different account than %s", account.Hex())
	}
	return nil
}

// differing names the parts of a transaction that differ from the request.
func differing(want, got *types.Transaction) string {
	var differs []string
	for _, part := range []struct {
		name string
		same bool
	}{
		{"type", got.Type() == want.Type()},
		{"chain id", got.ChainId().Cmp(want.ChainId()) == 0},
		{"nonce", got.Nonce() == want.Nonce()},
		{"fees", got.GasFeeCap().Cmp(want.GasFeeCap()) == 0 && got.GasTipCap().Cmp(want.GasTipCap()) == 0},
		{"gas", got.Gas() == want.Gas()},
		{"to", got.To() != nil && *got.To() == *want.To()},
		{"value", got.Value().Cmp(want.Value()) == 0},
		{"data", bytes.Equal(got.Data(), want.Data())},
		{"access list", len(got.AccessList()) == 0},
	} {
		if !part.same {
			differs = append(differs, part.name)
		}
	}
	return strings.Join(differs, ", ") + " differ"
}
