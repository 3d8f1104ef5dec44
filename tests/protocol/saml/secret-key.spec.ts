import { expect } from 'chai'
import { createPublicKey, randomBytes, X509Certificate } from 'node:crypto'
import pg from 'pg'
import { rotateStoredSecrets } from '../../../cli/server/rotate-stored-secrets.ts'
import { READ_MODELS } from '../../../read-models/schema.ts'
import { audited } from '../../support/audit/audit.ts'
import { oidcWorld } from '../../support/oidc/oidc.ts'
import { formIn, samlWorld } from '../../support/saml/saml.ts'
import { recordingLog, testPlace, testService, type TestPlace } from '../../support/service/service.ts'

describe('SAML private keys when the secret key changes', function () {
  this.timeout(120_000)
  let place: TestPlace
  before(async () => {
    place = await testPlace()
  })
  after(() => place.drop())

  const rejection = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'done',
      (error: unknown) => String(error),
    )

  it('CLI-03 SAML-06 responses are signed with the same key before and after; the old secret no longer decrypts it', async () => {
    const { config } = place
    const before = await testService(place)
    const { samlCertificate, samlCertificates } = await before.core.services.configuration.fresh()
    const sp = await samlWorld(before, oidcWorld(before)).provider()
    await before.stop()

    // A certificate whose key cannot be decrypted is reported, and stops the whole rotation.
    const database = new pg.Client({ connectionString: place.databaseUrl })
    await database.connect()
    const { rows } = await database.query<{ id: string; sealed: string }>(
      `select id, sealed_private_key as sealed from ${READ_MODELS}.saml_certificates where status = 'next'`,
    )
    const [next] = rows
    const put = (sealed: string | undefined) =>
      database.query(`update ${READ_MODELS}.saml_certificates set sealed_private_key = $1 where id = $2`, [
        sealed,
        next?.id,
      ])
    const rotating = { ...config, newSecretKey: randomBytes(32).toString('base64url') }
    try {
      await put(`${next?.sealed.slice(0, -4) ?? ''}AAAA`)
      expect(await rejection(rotateStoredSecrets(rotating, recordingLog()))).to.include(
        `SAML certificate ${next?.id ?? ''}`,
      )
      await put(next?.sealed)
    } finally {
      await database.end()
    }

    // The proof key, two signing keys and the certificates.
    const said = await rotateStoredSecrets(rotating, recordingLog())
    expect(said).to.match(/^Rotated\. .* and (\d+) secrets can be decrypted with the new key alone/)
    expect(Number(/and (\d+) secrets/.exec(said)?.[1])).to.be.at.least(samlCertificates.length + 1)
    expect(await rejection(testService(place))).to.include('SVC_SECRET_KEY')
    // Runs the command again, as after an interruption once the new key was in effect.
    expect(await rotateStoredSecrets(rotating, recordingLog())).to.match(/^An earlier run already rotated/)

    const after = await testService({ ...place, config: { ...config, secretKey: rotating.newSecretKey } })
    try {
      const now = (await after.core.services.configuration.fresh()).samlCertificate
      expect(now?.certificatePem).to.equal(samlCertificate?.certificatePem)
      const known = new X509Certificate(samlCertificate?.certificatePem ?? '').publicKey
      expect(createPublicKey(now!.privateKey).equals(known)).to.equal(true)
      const world = oidcWorld(after)
      const saml = samlWorld(after, world)
      const person = await saml.member(sp)
      const client = await saml.client(sp, { idpCert: samlCertificate?.certificatePem ?? '' })
      const answer = await saml.get(await client.getAuthorizeUrlAsync('', undefined, {}), person)
      expect((await saml.received(client, formIn(answer.text))).nameID).to.equal(person.email)

      // The next certificate also works.
      const administrator = await after.person({}, ['global_admin'])
      await audited(after)
      const trail = await after.api('GET', '/audit?action=system.secret_key.rotate', { as: administrator })
      expect(trail.body, 'one entry for both runs').to.have.length(1)
      expect(trail.body[0]).to.deep.include({
        actorType: 'cli',
        targetType: 'organization',
        summary: 'Rotated the secret key',
      })
      const rotated = await after.api('POST', '/saml/certificate/rotate', { as: administrator })
      expect(rotated.body).to.include({ id: next?.id, status: 'active' })
      const later = await saml.client(sp)
      const signed = await saml.get(await later.getAuthorizeUrlAsync('', undefined, {}), person)
      expect((await saml.received(later, formIn(signed.text))).nameID).to.equal(person.email)
    } finally {
      await after.stop()
    }
  })
})
