package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// keyring holds the providers' keys that were typed into the window. It is safe for
// concurrent use.
type keyring struct {
	state *state
	mu    sync.RWMutex
	keys  map[string]string // by the provider's name
}

const keysFile = "keys.json"

func openKeyring(s *state) (*keyring, error) {
	k := &keyring{state: s, keys: map[string]string{}}
	b, err := s.read(keysFile)
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &k.keys)
	}
	if err != nil {
		return nil, fmt.Errorf("%s can't be read (%w): repair it, or remove it and type the keys in again", s.path(keysFile), err)
	}
	return k, nil
}

// get returns the key typed in for a provider, or "".
func (k *keyring) get(provider string) string {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.keys[provider]
}

// set writes a key to the disk, and then uses it; an empty one removes it.
func (k *keyring) set(provider, key string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	keys := maps.Clone(k.keys)
	if key = strings.TrimSpace(key); key == "" {
		delete(keys, provider)
	} else {
		keys[provider] = key
	}
	b, err := json.MarshalIndent(keys, "", "  ")
	if err != nil {
		return err
	}
	err = k.state.replace(keysFile, append(b, '\n'))
	if errors.Is(err, fs.ErrNotExist) { // nothing but the folder can be missing
		err = fmt.Errorf("the state dir is gone: %w", syscall.ESTALE)
	}
	if err != nil {
		return fmt.Errorf("keep the key: %w", err)
	}
	k.keys = keys
	return nil
}

// all are the keys, in no order.
func (k *keyring) all() []string {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return slices.Collect(maps.Values(k.keys))
}
