import { expect } from 'chai'
import { createHash } from 'node:crypto'
import pg from 'pg'
import { nodeBytes } from '../../../adapters/engines/audit/bytes.ts'
import { leafOf } from '../../../adapters/engines/event-log/leaf.ts'
import { START } from '../../../adapters/engines/event-log/event-log.ts'
import { verifyEd25519 } from '../../../adapters/engines/audit/signer.ts'
import { isConsistent, rootOfInclusion } from '../../../domain/audit/merkle.ts'
import { openNote, parseCheckpoint, parseVerifier } from '../../../domain/audit/signed-note.ts'
import { audited } from '../../support/audit/audit.ts'
import { refusal, startPlace, success, type Json, type Place } from './support.ts'

const { sha256 } = nodeBytes
const bytes = (text: string): Buffer => Buffer.from(text, 'base64')
const H = (...parts: Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest()

/** Computes MTH of RFC 6962 §2.1 over hashes of leaves. */
const rootOf = (hashes: readonly Buffer[]): Buffer => {
  if (hashes.length < 2) return hashes[0] ?? H()
  let half = 1
  while (half * 2 < hashes.length) half *= 2
  return H(Buffer.of(1), rootOf(hashes.slice(0, half)), rootOf(hashes.slice(half)))
}

describe('Proof of the audit trail over HTTP', function () {
  this.timeout(60_000)
  let place: Place
  before(async () => {
    place = await startPlace()
  })
  after(() => place.service.stop())

  const caughtUp = async (): Promise<void> => {
    await audited(place.service)
    await audited(place.service, 'audit-tree')
  }
  const get = async (path: string): Promise<Json> => {
    await caughtUp()
    return success(await place.send('GET', path))
  }
  let n = 0
  const invite = async (): Promise<Json> =>
    success(
      await place.send('POST', '/users', { email: `proof${String(++n)}@example.com`, name: 'Ada Lovelace' }),
      201,
    )
  const provenIn = (proof: Json): Uint8Array | null =>
    rootOfInclusion(sha256, proof.index, proof.size, bytes(proof.leafHash), proof.hashes.map(bytes))
  const entryOf = async (id: string): Promise<Json> => (await get(`/audit?targetId=${id}`))[0]

  it('AUD-01 EVT-04 a checkpoint is signed, and its root covers every event of the log', async () => {
    for (let i = 0; i < 10; i++) await invite()
    const { origin, size, rootHash, note, time } = await get('/audit/checkpoint')
    const events = await place.service.core.eventLog.readAll(START, 10_000)
    const leaves = events.map((event) => H(Buffer.of(0), Buffer.from(leafOf(event))))
    expect([size, rootHash]).to.deep.equal([leaves.length, rootOf(leaves).toString('base64')])
    expect(time).to.equal(events.at(-1)?.metadata['time'])
    const key = await place.service.api('GET', '/audit/key.pub')
    expect(key.headers.get('content-type')).to.contain('text/plain')
    const verifier = parseVerifier(nodeBytes, String(key.body).trim())!
    expect(verifier.name).to.equal(origin)
    const text = openNote(nodeBytes, note, [verifier], verifyEd25519)
    const checkpoint = parseCheckpoint(nodeBytes, text ?? '')
    expect(checkpoint).to.deep.include({ origin, size })
    expect(Buffer.from(checkpoint!.root).toString('base64')).to.equal(rootHash)
    expect(
      openNote(nodeBytes, note.replace(String(size), String(Number(size) + 1)), [verifier], verifyEd25519),
    ).to.equal(null)
    const plain = await place.send('GET', '/audit/checkpoint', undefined, { Accept: 'text/plain' })
    expect(plain.body).to.equal(note)
  })

  it('AUD-01 an entry is proven in any tree that has it, and a later tree begins with an earlier one', async () => {
    const { id } = await invite()
    const before = await get('/audit/checkpoint')
    const { id: audit, hash } = await entryOf(id)
    for (let i = 0; i < 5; i++) await invite()
    const after = await get('/audit/checkpoint')
    expect(after.size).to.be.greaterThan(before.size)
    for (const { size, rootHash } of [before, after]) {
      const proof = await get(`/audit/${String(audit)}/proof?size=${String(size)}`)
      expect(proof).to.include({ size, rootHash, leafHash: hash })
      expect(H(Buffer.of(0), Buffer.from(proof.leaf)).toString('base64')).to.equal(hash)
      expect(Buffer.from(provenIn(proof) ?? []).toString('base64')).to.equal(rootHash)
      expect(proof.leaf, 'sealed').not.to.contain('Lovelace')
    }
    const grown = await get(`/audit/consistency?from=${String(before.size)}&to=${String(after.size)}`)
    expect([grown.fromRootHash, grown.toRootHash]).to.deep.equal([before.rootHash, after.rootHash])
    const head = ({ size, rootHash }: Json) => ({ size, root: bytes(rootHash) })
    expect(isConsistent(sha256, head(before), head(after), grown.hashes.map(bytes))).to.equal(true)
    for (const wrong of [`from=${String(Number(after.size) + 1)}`, 'from=0', 'from=2&to=1', 'from=x'])
      refusal(await place.send('GET', `/audit/consistency?${wrong}`), 422, 'ERR_INVALID', '/from')
    for (const size of [1, Number(after.size) + 1000])
      refusal(
        await place.send('GET', `/audit/${String(audit)}/proof?size=${String(size)}`),
        422,
        'ERR_INVALID',
        '/size',
      )
  })

  it('AUD-01 EVT-03 proofs survive erasure, and a changed event matches no checkpoint', async () => {
    const { id } = await invite()
    const { id: audit } = await entryOf(id)
    const { size } = await get('/audit/checkpoint')
    const before = await get(`/audit/${String(audit)}/proof?size=${String(size)}`)
    await place.send('DELETE', `/users/${String(id)}`)
    success(await place.send('POST', `/users/${String(id)}/erase`), 204)
    expect((await entryOf(id)).target).to.equal('Erased user')
    expect(await get(`/audit/${String(audit)}/proof?size=${String(size)}`)).to.deep.equal(before)

    const client = new pg.Client({ connectionString: place.service.databaseUrl })
    await client.connect()
    try {
      if (process.env['SVC_TEST_EVENTSTORE_URL'] !== undefined) return
      await client.query(
        `update log.event set data = replace(data, 'local', 'scim!') where stream = $1 and type = 'user.invited'`,
        [`user-${String(id)}`],
      )
      const events = await place.service.core.eventLog.readAll(START, 10_000)
      const leaves = events.slice(0, size).map((event) => H(Buffer.of(0), Buffer.from(leafOf(event))))
      expect(rootOf(leaves).toString('base64')).not.to.equal(before.rootHash)
      await client.query(
        `update log.event set data = replace(data, 'scim!', 'local') where stream = $1 and type = 'user.invited'`,
        [`user-${String(id)}`],
      )
      const mended = await place.service.core.eventLog.readAll(START, 10_000)
      const again = mended.slice(0, size).map((event) => H(Buffer.of(0), Buffer.from(leafOf(event))))
      expect(rootOf(again).toString('base64')).to.equal(before.rootHash)
    } finally {
      await client.end()
    }
  })

  it('AUD-01 entries are found both in full tiles and in the last one', async () => {
    const { services } = place.service.core
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let i = 0; i < 20; i++) await place.send('POST', '/groups', { name: `Group ${String(++n)}` })
      }),
    )
    while ((await get('/audit/checkpoint')).size < 300) await invite()
    const { rootHash } = await get('/audit/checkpoint')
    const { rows } = await services.pool.query<{ id: string }>(
      'select id from audit_events order by position',
    )
    for (const { id } of [rows[0]!, rows[Math.floor(rows.length / 2)]!, rows.at(-1)!]) {
      const proof = await get(`/audit/${id}/proof`)
      expect(proof.rootHash).to.equal(rootHash)
      expect(Buffer.from(provenIn(proof) ?? []).toString('base64')).to.equal(rootHash)
    }
    const tiles = await services.pool.query('select from proof.tile where level = 0')
    expect(tiles.rowCount).to.be.greaterThan(0)
  })
})
