"""A web application that signs users in with Authlib. "/" asks for a sign-in, refreshes the access token on every visit,
and shows what it knows of the user."""

import os

from authlib.integrations.flask_client import OAuth
from flask import Flask, redirect, session

app = Flask(__name__)
app.secret_key = os.urandom(32)
oauth = OAuth(app)
oauth.register(
    "svc",
    client_id=os.environ["CLIENT_ID"],
    client_secret=os.environ["CLIENT_SECRET"],
    server_metadata_url=f"{os.environ['ISSUER']}/.well-known/openid-configuration",
    client_kwargs={"scope": "openid email offline_access", "code_challenge_method": "S256"},
)


@app.get("/")
def home():
    if "sub" not in session:
        return oauth.svc.authorize_redirect(f"{os.environ['ORIGIN']}/callback")
    token = oauth.svc.fetch_access_token(grant_type="refresh_token", refresh_token=session["refresh_token"])
    session["refresh_token"] = token["refresh_token"]
    info = oauth.svc.userinfo(token=token)
    return {"sub": session["sub"], "email": info["email"], "accessToken": token["access_token"]}


@app.get("/callback")
def callback():
    token = oauth.svc.authorize_access_token()
    session["sub"] = token["userinfo"]["sub"]
    session["refresh_token"] = token["refresh_token"]
    return redirect("/")


host, port = os.environ["ADDRESS"].split(":")
app.run(host, int(port))
