/** One test for each module of the Config OP certification plan; infra/docs/conformance.md lists them. */
import { expect } from 'chai'
import { importJWK } from 'jose'
import { testPlace, testService } from '../../support/service/service.ts'

/** Responses have many shapes. */
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any

/** The server metadata that the suite knows (RFC 8414 §2 and the registry); anything else causes a warning. */
const known = [
  ...['issuer', 'authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri'],
  ...[
    'end_session_endpoint',
    'revocation_endpoint',
    'introspection_endpoint',
    'device_authorization_endpoint',
  ],
  ...['scopes_supported', 'response_types_supported', 'response_modes_supported', 'grant_types_supported'],
  ...['subject_types_supported', 'id_token_signing_alg_values_supported', 'code_challenge_methods_supported'],
  ...['token_endpoint_auth_methods_supported', 'revocation_endpoint_auth_methods_supported'],
  ...['introspection_endpoint_auth_methods_supported', 'acr_values_supported', 'prompt_values_supported'],
  ...[
    'claim_types_supported',
    'claims_supported',
    'claims_parameter_supported',
    'request_parameter_supported',
  ],
  ...['request_uri_parameter_supported', 'authorization_response_iss_parameter_supported'],
  ...['backchannel_logout_supported', 'backchannel_logout_session_supported', 'ui_locales_supported'],
]

describe('oidcc-config-certification-test-plan', () => {
  it('oidcc-discovery-endpoint-verification OIDC-01 OIDC-17 the document contains everything that is required, and nothing else', async () => {
    // The document uses the public address, which is https where the suite runs.
    const publicUrl = 'https://id.example.com'
    const place = await testPlace()
    const service = await testService({ ...place, config: { ...place.config, publicUrl } })
    try {
      const origin = `http://127.0.0.1:${String(place.config.listen.port)}`
      const response = await fetch(`${origin}/.well-known/openid-configuration`)
      expect(response.status).to.equal(200)
      expect(response.headers.get('content-type')).to.match(/^application\/json/)
      const metadata = await response.json()

      expect(metadata.issuer).to.equal(publicUrl)
      expect(known).to.include.members(Object.keys(metadata))
      const addresses = Object.entries<string>(metadata).filter(([name]) => /_(endpoint|uri)$/.test(name))
      expect(addresses).to.have.length.at.least(5)
      for (const [name, address] of addresses)
        expect(address.startsWith(`${publicUrl}/`), `${name}: ${address}`).to.be.true
      for (const [name, value] of Object.entries(metadata))
        if (name.endsWith('s_supported')) expect(value, name).to.be.an('array').and.not.be.empty

      expect(metadata.response_types_supported).to.deep.equal(['code'])
      expect(metadata.subject_types_supported).to.deep.equal(['public'])
      expect(metadata.id_token_signing_alg_values_supported).to.include('RS256')
      expect(metadata.grant_types_supported).to.include('authorization_code')
      expect(metadata.scopes_supported).to.include('openid')
      for (const scope of metadata.scopes_supported) expect(scope).to.match(/^[\x21\x23-\x5b\x5d-\x7e]+$/)
      for (const name of ['claims_parameter', 'request_parameter', 'request_uri_parameter'])
        expect(metadata[`${name}_supported`], name).to.be.false

      const keySet = await fetch(metadata.jwks_uri.replace(publicUrl, origin))
      expect(keySet.status).to.equal(200)
      const { keys } = (await keySet.json()) as { keys: Json[] }
      expect(keys).not.to.be.empty
      expect(new Set(keys.map(({ kid }) => kid))).to.have.property('size', keys.length)
      for (const key of keys) {
        expect(key).to.include({ kty: 'RSA', use: 'sig', alg: 'RS256' })
        expect(Buffer.from(key.n, 'base64url').length * 8).to.be.at.least(2048)
        for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) expect(key).not.to.have.property(secret)
        expect(await importJWK(key)).to.have.property('type', 'public')
      }
    } finally {
      await service.stop()
      await place.drop()
    }
  })
})
