/** How to connect an application: the values to paste, and the lines of a program that does it. */
import { Copy } from '../kit/copy.tsx'
import styles from '../kit/kit.module.css'
import { Section } from '../kit/record.tsx'
import type { ApplicationRecord } from '../records.ts'
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
    program: 'In a program',
    programHint: 'Keep the client secret in an environment variable, not in the code.',
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
    program: 'In einem Programm',
    programHint: 'Bewahren Sie das Client-Secret in einer Umgebungsvariable auf, nicht im Code.',
  },
})

type OidcApplication = Extract<ApplicationRecord, { protocol: 'oidc' }>

/** Returns a string of a program. Registered addresses may contain quotes, which must not end it. */
const quoted = (text: string): string => `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`

const serverSide = ({ clientId, redirectUris }: OidcApplication, issuer: string): string =>
  `import * as client from 'openid-client'

const config = await client.discovery(
  new URL(${quoted(issuer)}),
  ${quoted(clientId)},
  process.env.CLIENT_SECRET,
)

// Start of the sign-in: keep verifier and state in the user's session.
const verifier = client.randomPKCECodeVerifier()
const state = client.randomState()
const url = client.buildAuthorizationUrl(config, {
  redirect_uri: ${quoted(redirectUris[0] ?? '')},
  scope: 'openid profile email',
  code_challenge: await client.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
  state,
})

// At the redirect URI:
const tokens = await client.authorizationCodeGrant(config, new URL(request.url), {
  pkceCodeVerifier: verifier,
  expectedState: state,
})
const claims = tokens.claims()`

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
  web: serverSide,
  spa: publicClient,
  native: publicClient,
  service: machine,
} as const

export const ConnectApplication = ({ application }: { readonly application: ApplicationRecord }) => {
  const text = useTexts(connectTexts)
  const issuer = location.origin
  if (application.protocol === 'saml')
    return (
      <Section title={text.values} hint={text.samlHint}>
        <Copy label={text.metadata} value={`${issuer}/saml/metadata`} />
        <Copy label={text.entityId} value={`${issuer}/saml/metadata`} />
        <Copy label={text.sso} value={`${issuer}/saml/sso`} />
      </Section>
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
        <Section title={text.program} hint={text.programHint}>
          <pre className={styles['program']} tabIndex={0} aria-label={text.program}>
            {programs[type](application, issuer)}
          </pre>
        </Section>
      )}
    </>
  )
}
