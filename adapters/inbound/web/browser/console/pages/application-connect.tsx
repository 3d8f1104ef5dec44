/** How to connect an application: the values to paste, and the lines of a program that does it. */
import { useRecord } from '../api.ts'
import { Copy } from '../kit/copy.tsx'
import styles from '../kit/kit.module.css'
import { Facts, Loaded, Section } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import { useMoment } from '../moment.tsx'
import type { ApplicationRecord, SamlCertificateRecord } from '../records.ts'
import { texts, useTexts } from '../text.tsx'

const connectTexts = texts({
  en: {
    values: 'Values to paste',
    valuesHint: 'Most products need only the first two; they read the rest from the discovery document.',
    samlHint: 'Give the service provider this metadata, or enter the values one by one.',
    issuer: 'Issuer',
    clientId: 'Client ID',
    discovery: 'Discovery document',
    authorize: 'Authorization endpoint',
    token: 'Token endpoint',
    metadata: 'Metadata of this service',
    entityId: 'Entity ID of this service',
    sso: 'Single sign-on URL',
    certificates: 'Certificates of this service',
    certificatesHint:
      'Products that read the metadata need none of this. Others need the active certificate, and the next one before it signs.',
    active: 'Active certificate (PEM)',
    next: 'Next certificate (PEM)',
    validUntil: 'Valid until',
    fingerprint: 'Fingerprint (SHA-256)',
    program: 'In a program',
    webHint:
      'For Express with openid-client and express-session. Keep the secrets in environment variables, not in the code.',
    publicHint: 'A program that runs on the device of the user has no client secret.',
    machineHint: 'Keep the client secret in an environment variable, not in the code.',
  },
  de: {
    values: 'Werte zum Einfügen',
    valuesHint:
      'Die meisten Produkte brauchen nur die ersten beiden; den Rest lesen sie aus dem Discovery-Dokument.',
    samlHint: 'Geben Sie dem Dienstanbieter diese Metadaten, oder tragen Sie die Werte einzeln ein.',
    issuer: 'Issuer',
    clientId: 'Client-ID',
    discovery: 'Discovery-Dokument',
    authorize: 'Autorisierungsendpunkt',
    token: 'Token-Endpunkt',
    metadata: 'Metadaten dieses Dienstes',
    entityId: 'Entity-ID dieses Dienstes',
    sso: 'Single-Sign-on-URL',
    certificates: 'Zertifikate dieses Dienstes',
    certificatesHint:
      'Produkte, die die Metadaten lesen, brauchen nichts davon. Andere brauchen das aktive Zertifikat, und das nächste, bevor es signiert.',
    active: 'Aktives Zertifikat (PEM)',
    next: 'Nächstes Zertifikat (PEM)',
    validUntil: 'Gültig bis',
    fingerprint: 'Fingerabdruck (SHA-256)',
    program: 'In einem Programm',
    webHint:
      'Für Express mit openid-client und express-session. Bewahren Sie die Secrets in Umgebungsvariablen auf, nicht im Code.',
    publicHint: 'Ein Programm, das auf dem Gerät des Benutzers läuft, hat kein Client-Secret.',
    machineHint: 'Bewahren Sie das Client-Secret in einer Umgebungsvariable auf, nicht im Code.',
  },
})

type OidcApplication = Extract<ApplicationRecord, { protocol: 'oidc' }>

/** Returns a string of a program. Registered addresses may contain quotes, which must not end it. */
const quoted = (text: string): string => `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`

const serverSide = (
  { clientId, redirectUris: [redirectUri = ''] }: OidcApplication,
  issuer: string,
): string => {
  const { origin, pathname } = new URL(redirectUri, issuer)
  return `import express from 'express'
import session from 'express-session'
import * as client from 'openid-client'

const config = await client.discovery(
  new URL(${quoted(issuer)}),
  ${quoted(clientId)},
  process.env.CLIENT_SECRET,
)
const app = express()
app.use(session({ secret: process.env.SESSION_SECRET, resave: false, saveUninitialized: false }))

app.get('/sign-in', async (request, response) => {
  const verifier = client.randomPKCECodeVerifier()
  const state = client.randomState()
  request.session.signIn = { verifier, state }
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: ${quoted(redirectUri)},
    scope: 'openid profile email',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
  })
  response.redirect(url.href)
})

app.get(${quoted(pathname)}, async (request, response, next) => {
  const { verifier, state } = request.session.signIn ?? {}
  if (verifier === undefined) return response.redirect('/sign-in')
  const tokens = await client.authorizationCodeGrant(
    config,
    new URL(request.originalUrl, ${quoted(origin)}),
    { pkceCodeVerifier: verifier, expectedState: state, idTokenExpected: true },
  )
  // A new session id, so that nobody else knows it.
  request.session.regenerate((error) => {
    if (error) return next(error)
    request.session.user = tokens.claims()
    response.redirect('/')
  })
})

app.listen(3000)`
}

const publicClient = ({ clientId, redirectUris }: OidcApplication, issuer: string): string =>
  `import { UserManager } from 'oidc-client-ts'

const users = new UserManager({
  authority: ${quoted(issuer)},
  client_id: ${quoted(clientId)},
  redirect_uri: ${quoted(redirectUris[0] ?? '')},
  scope: 'openid profile email',
})

await users.signinRedirect()

// At the redirect URI:
const user = await users.signinRedirectCallback()`

const machine = ({ clientId }: OidcApplication, issuer: string): string =>
  `curl --user "${clientId}:$CLIENT_SECRET" \\
  --data grant_type=client_credentials \\
  ${issuer}/oauth2/token`

const programs = {
  web: { of: serverSide, hint: 'webHint' },
  spa: { of: publicClient, hint: 'publicHint' },
  native: { of: publicClient, hint: 'publicHint' },
  service: { of: machine, hint: 'machineHint' },
} as const

export const ConnectApplication = ({ application }: { readonly application: ApplicationRecord }) => {
  const text = useTexts(connectTexts)
  const { at } = useMoment()
  const issuer = location.origin
  if (application.protocol === 'saml')
    return (
      <>
        <Section title={text.values} hint={text.samlHint}>
          <Copy label={text.metadata} value={`${issuer}/saml/metadata`} />
          <Copy label={text.entityId} value={`${issuer}/saml/metadata`} />
          <Copy label={text.sso} value={`${issuer}/saml/sso`} />
        </Section>
        {at === null && <Certificates />}
      </>
    )
  const { type, clientId } = application
  const isUsed = type !== 'service'
  return (
    <>
      <Section title={text.values} hint={text.valuesHint}>
        <Copy label={text.issuer} value={issuer} />
        <Copy label={text.clientId} value={clientId} />
        <Copy label={text.discovery} value={`${issuer}/.well-known/openid-configuration`} />
        {isUsed && <Copy label={text.authorize} value={`${issuer}/oauth2/authorize`} />}
        <Copy label={text.token} value={`${issuer}/oauth2/token`} />
      </Section>
      {type !== 'cli' && (
        <Section title={text.program} hint={text[programs[type].hint]}>
          <pre className={styles['program']} tabIndex={0} aria-label={text.program}>
            {programs[type].of(application, issuer)}
          </pre>
        </Section>
      )}
    </>
  )
}

/** The keys that the service provider must trust, for products that do not read the metadata. */
const Certificates = () => {
  const text = useTexts(connectTexts)
  const certificates = useRecord<readonly SamlCertificateRecord[]>('/saml/certificates')
  return (
    <Section title={text.certificates} hint={text.certificatesHint}>
      <Loaded query={certificates}>
        {(items) =>
          (['active', 'next'] as const)
            .flatMap((wanted) => items.filter(({ status }) => status === wanted))
            .map(({ id, status, certificate, fingerprint, notAfter }) => (
              <div key={id} className="dialog-body">
                <Copy label={status === 'active' ? text.active : text.next} value={certificate} />
                <Facts
                  facts={[
                    [text.fingerprint, <code key="fingerprint">{fingerprint}</code>],
                    [text.validUntil, <Time key="until" value={notAfter} />],
                  ]}
                />
              </div>
            ))
        }
      </Loaded>
    </Section>
  )
}
