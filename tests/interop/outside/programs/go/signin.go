// A web application that signs users in with go-oidc and x/oauth2. "/" asks for a sign-in, refreshes the access token on
// every visit, and shows what it knows of the user.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

type attempt struct{ verifier, nonce string }

type account struct {
	Subject string
	Email   string
	token   *oauth2.Token
}

var (
	mutex    sync.Mutex
	attempts = map[string]attempt{}
	accounts = map[string]*account{}
)

func random() string { return rand.Text() }

func fail(response http.ResponseWriter, err error) {
	http.Error(response, err.Error(), http.StatusInternalServerError)
}

func main() {
	ctx := context.Background()
	origin := os.Getenv("ORIGIN")
	provider, err := oidc.NewProvider(ctx, os.Getenv("ISSUER"))
	if err != nil {
		panic(err)
	}
	verifier := provider.Verifier(&oidc.Config{ClientID: os.Getenv("CLIENT_ID")})
	config := oauth2.Config{
		ClientID:     os.Getenv("CLIENT_ID"),
		ClientSecret: os.Getenv("CLIENT_SECRET"),
		Endpoint:     provider.Endpoint(),
		RedirectURL:  origin + "/callback",
		Scopes:       []string{oidc.ScopeOpenID, "email", oidc.ScopeOfflineAccess},
	}

	http.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		mutex.Lock()
		defer mutex.Unlock()
		cookie, _ := request.Cookie("account")
		if cookie == nil || accounts[cookie.Value] == nil {
			state := random()
			attempts[state] = attempt{oauth2.GenerateVerifier(), random()}
			address := config.AuthCodeURL(state, oidc.Nonce(attempts[state].nonce), oauth2.S256ChallengeOption(attempts[state].verifier))
			http.Redirect(response, request, address, http.StatusFound)
			return
		}
		known := accounts[cookie.Value]
		old := *known.token
		old.Expiry = time.Now().Add(-time.Minute)
		fresh, err := config.TokenSource(ctx, &old).Token()
		if err != nil {
			fail(response, err)
			return
		}
		known.token = fresh
		info, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(fresh))
		if err != nil {
			fail(response, err)
			return
		}
		_ = json.NewEncoder(response).Encode(map[string]string{
			"sub": known.Subject, "email": info.Email, "accessToken": fresh.AccessToken,
		})
	})

	http.HandleFunc("/callback", func(response http.ResponseWriter, request *http.Request) {
		mutex.Lock()
		defer mutex.Unlock()
		begun, known := attempts[request.FormValue("state")]
		if !known {
			fail(response, fmt.Errorf("unknown state: %s", request.URL.RawQuery))
			return
		}
		token, err := config.Exchange(ctx, request.FormValue("code"), oauth2.VerifierOption(begun.verifier))
		if err != nil {
			fail(response, err)
			return
		}
		raw, _ := token.Extra("id_token").(string)
		idToken, err := verifier.Verify(ctx, raw)
		if err != nil {
			fail(response, err)
			return
		}
		if idToken.Nonce != begun.nonce || idToken.VerifyAccessToken(token.AccessToken) != nil {
			fail(response, fmt.Errorf("nonce or at_hash do not match"))
			return
		}
		id := random()
		accounts[id] = &account{Subject: idToken.Subject, token: token}
		http.SetCookie(response, &http.Cookie{Name: "account", Value: id, Path: "/", HttpOnly: true})
		http.Redirect(response, request, "/", http.StatusFound)
	})
	fmt.Println("ready")
	panic(http.ListenAndServe(os.Getenv("ADDRESS"), nil))
}
