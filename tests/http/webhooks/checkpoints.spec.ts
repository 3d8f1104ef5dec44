import { expect } from 'chai'
import { auditSigner, verifyEd25519 } from '../../../adapters/engines/audit/signer.ts'
import { nodeBytes } from '../../../adapters/engines/audit/bytes.ts'
import { treeState } from '../../../adapters/engines/audit/tree.ts'
import { parseCheckpoint, openNote } from '../../../domain/audit/signed-note.ts'
import { until } from '../../support/until.ts'
import { envelope, webhookReceiver, type WebhookReceiver } from '../../support/webhooks/webhook-receiver.ts'
import { webhookPlace, type WebhookPlace } from '../../support/webhooks/webhooks.ts'

const HOUR = 3600

interface CheckpointData {
  readonly origin: string
  readonly size: number
  readonly rootHash: string
  readonly note: string
}

describe('audit checkpoints by webhook', function () {
  this.timeout(120_000)
  let place: WebhookPlace
  let receiver: WebhookReceiver
  /** Seconds that the clock is ahead */
  let ahead = 0
  before(async () => {
    receiver = await webhookReceiver()
    place = await webhookPlace({
      checkpointEvery: HOUR,
      now: () => new Date(Date.now() + ahead * 1000).toISOString(),
    })
  })
  after(async () => {
    await place.service.stop()
    receiver.close()
  })

  const checkpoints = (path: string) =>
    receiver
      .at(path)
      .map(envelope)
      .filter(({ type }) => type === 'audit.checkpoint')
  const sizeOf = (path: string, nth: number): number =>
    (checkpoints(path)[nth]?.data['checkpoint'] as CheckpointData).size
  const got = (path: string, count: number) =>
    until(() => checkpoints(path).length >= count, 20_000, `${String(count)} checkpoints at ${path}`)
  /** Causes an event and waits until it is in the tree and delivered to the subscribed endpoints. */
  const happened = async (): Promise<void> => {
    const { pool } = place.service.core.services
    const { size } = await treeState(pool)
    await place.happen()
    await until(async () => (await treeState(pool)).size > size)
  }

  it('WHK-02 WHK-07 are sent once an endpoint subscribes, then every hour in which the tree has grown', async () => {
    const { pool } = place.service.core.services
    const bystander = await place.endpoint(receiver.url('/bystander'), ['group.create'])
    await happened()
    await until(() => receiver.at('/bystander').length === 1)
    const { id } = await place.endpoint(receiver.url('/tree'), ['audit.checkpoint'])
    await got('/tree', 1)

    const [first] = checkpoints('/tree')
    expect(Object.keys(first ?? {})).to.deep.equal(['id', 'type', 'time', 'data'])
    expect(first?.id).to.match(/^aud_[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
    expect(first?.time).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
    expect(first?.data).to.deep.include({
      id: first?.id,
      action: 'audit.checkpoint',
      actorId: null,
      ip: null,
    })
    expect(first?.data['time']).to.equal(first?.time)
    const checkpoint = first?.data['checkpoint'] as CheckpointData
    expect(first?.data).to.include({
      targetType: 'audit',
      targetId: checkpoint.origin,
      target: checkpoint.origin,
    })
    const signer = await auditSigner(place.service.core.services)()
    const text = openNote(nodeBytes, checkpoint.note, [signer], verifyEd25519) ?? ''
    const { origin, size, root } = parseCheckpoint(nodeBytes, text) ?? { origin: '', size: 0, root: null }
    expect({ origin, size, rootHash: root === null ? '' : nodeBytes.toBase64(root) }).to.deep.equal({
      origin: checkpoint.origin,
      size: checkpoint.size,
      rootHash: checkpoint.rootHash,
    })

    // Within the hour no endpoint gets another checkpoint; then all of them get the current one.
    await place.endpoint(receiver.url('/all'), ['*'])
    await happened()
    ahead = HOUR - 60
    await until(() => receiver.at('/all').some((each) => envelope(each).type === 'group.create'))
    expect(checkpoints('/tree')).to.have.length(1)
    expect(checkpoints('/all')).to.have.length(0)
    ahead = HOUR + 1
    await got('/tree', 2)
    await got('/all', 1)
    expect(sizeOf('/tree', 1)).to.be.greaterThan(checkpoint.size).and.to.equal(sizeOf('/all', 0))
    expect(checkpoints('/tree')[1]).to.deep.equal(checkpoints('/all')[0])
    const { size: grown } = await treeState(pool)
    expect(sizeOf('/tree', 1)).to.equal(grown)

    // After an hour without events nothing is sent.
    ahead = 3 * HOUR
    await happened()
    await got('/tree', 3)
    ahead = 5 * HOUR
    await place.send('GET', `/webhooks/${id}`)
    const { rows } = await pool.query<{ sent: number }>(
      `select count(*) as sent from work.webhook_delivery where event_type = 'audit.checkpoint' and webhook_id = $1`,
      [id],
    )
    expect(rows[0]?.sent).to.equal(3)
    expect((await treeState(pool)).size).to.equal(sizeOf('/tree', 2))
    expect(new Set(checkpoints('/tree').map((each) => each.id)).size).to.equal(3)
    await until(async () => (await place.deliveries(bystander.id)).length >= 3)
    expect(await place.deliveries(bystander.id)).to.have.length(3)
  })

  it('WHK-10 are among the types that endpoints may subscribe to', async () => {
    const families = (await place.send('GET', '/webhooks/event-types')).body as {
      family: string
      types: string[]
    }[]
    expect(families.find(({ family }) => family === 'audit.*')?.types).to.include('audit.checkpoint')
  })
})
