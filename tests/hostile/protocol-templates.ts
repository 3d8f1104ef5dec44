/** Requests to everything except the JSON API: protocols, pages, files and health. */
import { readdirSync } from 'node:fs'
import { redirectQuery, authnRequestXml } from '../support/saml/saml.ts'
import { ENTERPRISE, GROUP, PATCH_OP, USER } from '../support/scim/scim.ts'
import type { Body, Pairs, Template } from './requests.ts'
import type { World } from './world.ts'

const CALLBACK = 'https://app.example.com/callback'

const get = (path: string, query: Pairs = []): Omit<Template, 'as' | 'headers'> => ({
  method: 'GET',
  segments: path.split('/').slice(1),
  query,
})

const send = (method: string, path: string, body?: Body): Omit<Template, 'as' | 'headers'> => ({
  ...get(path),
  method,
  ...(body === undefined ? {} : { body }),
})

const form = (...pairs: Pairs): Body => ({ kind: 'form', pairs })
const scim = (value: unknown): Body => ({ kind: 'json', type: 'application/scim+json', value })

const oidc = (world: World): readonly Template[] => {
  const { clientId, secret, code, refreshToken, accessToken, idToken, deviceCode } = world.oidc
  const client: Pairs = [
    ['client_id', clientId],
    ['client_secret', secret],
  ]
  const anonymous = { as: 'none', headers: [] } as const
  const secretly = {
    as: 'client',
    headers: [['Authorization', `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`]],
  } as const
  const session = { as: 'session', headers: [['Cookie', world.cookie()]] } as const
  const bearer = { as: 'access token', headers: [['Authorization', `Bearer ${accessToken}`]] } as const
  const authorize: Pairs = [
    ['client_id', clientId],
    ['redirect_uri', CALLBACK],
    ['response_type', 'code'],
    ['scope', 'openid profile email groups offline_access'],
    ['state', 'the state'],
    ['nonce', 'the nonce'],
    ['code_challenge', 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'],
    ['code_challenge_method', 'S256'],
    ['max_age', '100'],
    ['prompt', 'login'],
    ['login_hint', 'ada@example.com'],
    ['acr_values', 'phr'],
    ['id_token_hint', idToken],
    ['ui_locales', 'en'],
    ['response_mode', 'query'],
    ['resource', 'https://api.example.com'],
    ['claims', '{}'],
  ]
  const logout: Pairs = [
    ['client_id', clientId],
    ['id_token_hint', idToken],
    ['post_logout_redirect_uri', CALLBACK],
    ['state', 'the state'],
  ]
  const codeGrant: Pairs = [
    ['grant_type', 'authorization_code'],
    ['code', code],
    ['redirect_uri', CALLBACK],
    ['code_verifier', 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'],
  ]
  return [
    ...[anonymous, session].flatMap((by): readonly Template[] => [
      { ...get('/oauth2/authorize', authorize), ...by },
      { ...send('POST', '/oauth2/authorize', form(...authorize)), ...by },
      { ...get('/oauth2/authorize/resume', [['authRequest', 'x']]), ...by },
      { ...get('/oauth2/logout', logout), ...by },
      { ...send('POST', '/oauth2/logout', form(...logout)), ...by },
      { ...send('POST', '/oauth2/logout/confirm', form(...logout, ['request', 'x'])), ...by },
    ]),
    ...[
      codeGrant,
      [
        ['grant_type', 'refresh_token'],
        ['refresh_token', refreshToken],
        ['scope', 'openid'],
      ],
      [
        ['grant_type', 'client_credentials'],
        ['scope', 'a:b'],
        ['resource', 'https://api.example.com'],
      ],
      [
        ['grant_type', 'urn:ietf:params:oauth:grant-type:device_code'],
        ['device_code', deviceCode],
      ],
    ].flatMap((grant): readonly Template[] => [
      { ...send('POST', '/oauth2/token', form(...(grant as Pairs), ...client)), ...anonymous },
      { ...send('POST', '/oauth2/token', form(...(grant as Pairs))), ...secretly },
    ]),
    ...(['/oauth2/revoke', '/oauth2/introspect'] as const).flatMap((path): readonly Template[] => [
      {
        ...send('POST', path, form(['token', accessToken], ['token_type_hint', 'access_token'], ...client)),
        ...anonymous,
      },
      { ...send('POST', path, form(['token', refreshToken])), ...secretly },
    ]),
    {
      ...send('POST', '/oauth2/device_authorization', form(['client_id', 'svc-cli'], ['scope', 'openid'])),
      ...anonymous,
    },
    { ...get('/oauth2/userinfo'), ...bearer },
    { ...get('/oauth2/userinfo'), ...anonymous },
    { ...send('POST', '/oauth2/userinfo', form(['access_token', accessToken])), ...anonymous },
  ]
}

const saml = (world: World): readonly Template[] => {
  const { entityId, applicationId } = world.saml
  const xml = authnRequestXml({ issuer: entityId, attributes: ' ProtocolBinding="x"' })
  const redirect = new URLSearchParams(redirectQuery(xml, 'the relay state').slice(1))
  const hostileXml = [
    xml,
    xml.replace('AuthnRequest', '__proto__'),
    xml.replace('Version="2.0"', 'Version="\u0001"'),
    xml.replace('Version="2.0"', 'constructor="1" toString="2" __proto__="3" Version="2.0"'),
    xml.replace('Version="2.0"', `${Array.from({ length: 3000 }, (_, n) => `a${String(n)}=""`).join(' ')} `),
    xml.replace(
      'Version="2.0"',
      `${Array.from({ length: 1500 }, (_, n) => `xmlns:a${String(n)}="u"`).join(' ')} `,
    ),
    xml.replace(entityId, '&#0;'),
    xml.replace(entityId, '&#xD800;'),
    xml.replace(entityId, '\0'),
    xml.replace(entityId, '<a>'.repeat(10_000)),
    xml.replace(entityId, '&lol;'),
    xml.replace(entityId, '<![CDATA[x]]>'),
    `<!DOCTYPE a [<!ENTITY a "b">]>${xml}`,
    `<?xml version="1.1" encoding="utf-16"?>${xml}`,
    '<'.repeat(60_000),
    '&#1;'.repeat(10_000),
    '',
    '\0',
  ]
  return [
    ...[
      { as: 'none', headers: [] } as const,
      { as: 'session', headers: [['Cookie', world.cookie()]] } as const,
    ].flatMap((by): readonly Template[] => [
      {
        ...get('/saml/sso', [
          ...redirect,
          ['SAMLEncoding', 'urn:oasis:names:tc:SAML:2.0:bindings:URL-Encoding:DEFLATE'],
        ]),
        ...by,
      },
      { ...get('/saml/sso/resume', [['authRequest', 'x']]), ...by },
      { ...get(`/saml/launch/${applicationId}`), ...by },
    ]),
    ...hostileXml.map((text): Template => ({
      ...send(
        'POST',
        '/saml/sso',
        form(['SAMLRequest', Buffer.from(text).toString('base64')], ['RelayState', 'x']),
      ),
      as: 'none',
      headers: [],
    })),
    ...hostileXml.map((text): Template => ({
      ...send(
        'POST',
        '/saml/providers/idp_01ARZ3NDEKTSV4RRFFQ69G5FAV/acs',
        form(['SAMLResponse', Buffer.from(text).toString('base64')], ['RelayState', 'x']),
      ),
      as: 'none',
      headers: [],
    })),
    ...['/saml/metadata', '/saml/providers/x/metadata'].map((path): Template => ({
      ...get(path),
      as: 'none',
      headers: [],
    })),
  ]
}

const scimTemplates = (world: World): readonly Template[] => {
  const person = {
    schemas: [USER, ENTERPRISE],
    userName: 'hostile@example.com',
    externalId: 'x1',
    name: { givenName: 'A', familyName: 'B', formatted: 'A B' },
    displayName: 'A B',
    emails: [{ value: 'hostile@example.com', type: 'work', primary: true }],
    phoneNumbers: [{ value: '1', type: 'work' }],
    active: true,
    title: 'x',
    locale: 'en',
    timezone: 'Europe/Berlin',
    [ENTERPRISE]: { department: 'x', employeeNumber: '1', manager: { value: world.ids.get('usr_') } },
  }
  const group = {
    schemas: [GROUP],
    displayName: 'Hostile',
    externalId: 'g1',
    members: [{ value: world.ids.get('usr_') }],
  }
  const operations = (...list: readonly unknown[]): Body => scim({ schemas: [PATCH_OP], Operations: list })
  const all = [
    get('/scim/v2/Users', [
      ['filter', 'userName eq "a"'],
      ['startIndex', '1'],
      ['count', '2'],
      ['attributes', 'userName,emails[type eq "work"].value'],
      ['excludedAttributes', 'members'],
      ['sortBy', 'userName'],
    ]),
    get('/scim/v2/Groups', [
      ['filter', 'displayName eq "a"'],
      ['excludedAttributes', 'members'],
    ]),
    ...(['userName', 'externalId', 'emails.value', 'emails[type eq "work"].value'] as const).flatMap((name) =>
      ['\\u0000', '\0', '\\ud800', '\u0001', 'a\\nb', '%'].map((value) =>
        get('/scim/v2/Users', [['filter', `${name} eq "${value}"`]]),
      ),
    ),
    ...(['displayName', 'externalId'] as const).flatMap((name) =>
      ['\\u0000', '\0', '\\ud800'].map((value) =>
        get('/scim/v2/Groups', [['filter', `${name} eq "${value}"`]]),
      ),
    ),
    get('/scim/v2/Groups', [['filter', 'id eq "\\u0000" and members eq "\\u0000"']]),
    send('POST', '/scim/v2/Users', scim(person)),
    send('POST', '/scim/v2/Groups', scim(group)),
    get(`/scim/v2/Users/${world.ids.get('usr_') ?? ''}`, [['attributes', 'name']]),
    get(`/scim/v2/Groups/${world.ids.get('grp_') ?? ''}`, [['attributes', 'name']]),
    send('PUT', `/scim/v2/Users/${world.scimUserId}`, scim({ ...person, userName: 'other@example.com' })),
    send('PUT', `/scim/v2/Groups/${world.scimGroupId}`, scim(group)),
    send(
      'PATCH',
      `/scim/v2/Users/${world.scimUserId}`,
      operations(
        { op: 'replace', path: 'name.givenName', value: 'x' },
        { op: 'add', path: 'emails[type eq "work"].value', value: 'x@example.com' },
        { op: 'Remove', path: 'title' },
        { op: 'add', value: { active: true, 'name.familyName': 'y' } },
      ),
    ),
    send(
      'PATCH',
      `/scim/v2/Groups/${world.scimGroupId}`,
      operations(
        { op: 'add', path: 'members', value: [{ value: world.ids.get('usr_') }] },
        { op: 'remove', path: 'members[value eq "x"]' },
        { op: 'replace', path: 'displayName', value: 'x' },
      ),
    ),
    send('DELETE', '/scim/v2/Users/usr_01ARZ3NDEKTSV4RRFFQ69G5FAV'),
    send('DELETE', '/scim/v2/Groups/grp_01ARZ3NDEKTSV4RRFFQ69G5FAV'),
    send('POST', '/scim/v2/Bulk', scim({})),
    send('POST', '/scim/v2/Users/.search', scim({ filter: 'userName eq "a"' })),
    ...[
      'Me',
      'ServiceProviderConfig',
      'ResourceTypes',
      'ResourceTypes/User',
      'Schemas',
      `Schemas/${USER}`,
      '',
    ].map((name) => get(`/scim/v2/${name}`, [['filter', 'a eq "b"']])),
  ]
  return all.flatMap((template): readonly Template[] => [
    { ...template, as: 'scim key', headers: [['Authorization', `Bearer ${world.scimKey}`]] },
    { ...template, as: 'none', headers: [] },
  ])
}

const pages = (world: World): readonly Template[] => {
  const asset = readdirSync(new URL('../../.build/adapters/inbound/web/assets/', import.meta.url))[0] ?? ''
  const all = [
    get('/'),
    get('/healthz'),
    get('/readyz'),
    get('/favicon.ico'),
    get(`/assets/${asset}`),
    get('/.well-known/openid-configuration'),
    get('/.well-known/oauth-authorization-server'),
    get('/.well-known/webauthn'),
    get('/.well-known/ssf-configuration'),
    get('/oauth2/keys'),
    get('/sign-in', [
      ['authRequest', 'x'],
      ['error', 'ERR_NOT_ASSIGNED'],
      ['return', '/account'],
      ['device', 'WXYZ-BCDF'],
      ['again', '1'],
    ]),
    get('/sign-in', [['return', '/account/security']]),
    send('POST', '/sign-in/cancel', form(['authRequest', 'x'])),
    send('POST', '/sign-out', form(['a', 'b'])),
    get('/signed-out'),
    get('/enroll/token'),
    get('/magic-link/token'),
    get('/magic-link/expired'),
    get('/verify-email/token'),
    get('/verify-email/done'),
    get('/device', [['user_code', 'WXYZ-BCDF']]),
    get('/device/WXYZ-BCDF'),
    send('POST', '/device', form(['user_code', 'WXYZ-BCDF'])),
    get('/account'),
    get('/account/security'),
    get('/account/activity', [['cursor', 'x']]),
    get('/nothing/here'),
    get('/api/v1'),
    get('/api/v1/nothing'),
  ]
  return all.flatMap((template): readonly Template[] => [
    { ...template, as: 'none', headers: [] },
    { ...template, as: 'session', headers: [['Cookie', world.cookie()]] },
  ])
}

const ssf = ({ ssf: { token, streamId } }: World): readonly Template[] => {
  const json = (value: unknown): Body => ({ kind: 'json', type: 'application/json', value })
  const stream = { stream_id: streamId }
  const delivery = { method: 'urn:ietf:rfc:8936' }
  const all = [
    get('/ssf/stream', [['stream_id', streamId]]),
    send('POST', '/ssf/stream', json({ delivery, events_requested: ['x'], description: 'x' })),
    send('PATCH', '/ssf/stream', json({ ...stream, delivery, description: 'x' })),
    send('PUT', '/ssf/stream', json({ ...stream, events_requested: ['x'] })),
    get('/ssf/status', [['stream_id', streamId]]),
    send('POST', '/ssf/status', json({ ...stream, status: 'paused', reason: 'x' })),
    send('POST', '/ssf/verify', json({ ...stream, state: 'x' })),
    send(
      'POST',
      `/ssf/poll/${streamId}`,
      json({
        maxEvents: 1,
        returnImmediately: true,
        ack: ['x'],
        setErrs: { x: { err: 'x', description: 'x' } },
      }),
    ),
    send('DELETE', '/ssf/stream'),
    send('POST', '/ssf/providers/idp_01ARZ3NDEKTSV4RRFFQ69G5FAV/events', json({ x: 'x' })),
    send(
      'POST',
      '/oauth2/providers/idp_01ARZ3NDEKTSV4RRFFQ69G5FAV/backchannel-logout',
      form(['logout_token', 'x.y.z']),
    ),
  ]
  return all.flatMap((template): readonly Template[] => [
    { ...template, as: 'receiver', headers: [['Authorization', `Bearer ${token}`]] },
    { ...template, as: 'none', headers: [] },
  ])
}

/** Every endpoint besides the JSON API, with the requests of each caller. */
export const protocolTemplates = (world: World): readonly Template[] => [
  ...oidc(world),
  ...saml(world),
  ...scimTemplates(world),
  ...ssf(world),
  ...pages(world),
]
