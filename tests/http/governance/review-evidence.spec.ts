import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { verifyBundleFile } from '../../../cli/server/audit-bundle.ts'
import { reviewWorld, type ReviewWorld } from '../../support/api/access-reviews.ts'
import type { Json } from '../../support/api/access-packages.ts'
import { secondOpinion } from '../../support/audit/evidence-verifier.ts'
import { runSvc } from '../../support/service/processes.ts'
import { until } from '../../support/until.ts'

describe('GOV-02 the evidence of an access review', function () {
  this.timeout(60_000)
  let w: ReviewWorld
  let folder: string
  let reviewId: string
  let key: string
  let file: string
  before(async () => {
    w = await reviewWorld()
    folder = await mkdtemp(join(tmpdir(), 'svc-evidence-'))
    const groupId = await w.group()
    for (const name of ['Ada', 'Annie', 'Katherine', 'Mary']) {
      const { userId } = await w.service.person({ name })
      await w.ok('PUT', `/groups/${groupId}/members/${userId}`, {})
    }
    const review = await w.started(w.draft([groupId], [w.manager.userId]))
    const [first, second] = await w.items(review.id)
    const decide = (item: Json, decision: string) =>
      w.ok(
        'POST',
        `/access-reviews/${String(review.id)}/items/${String(item.id)}/decide`,
        { decision, justification: 'A secret reason' },
        w.manager,
      )
    await decide(first, 'revoked')
    await decide(second, 'approved')
    const path = `/access-reviews/${String(review.id)}/evidence`
    await w.fails([409, 'ERR_CONFLICT'], 'GET', path, undefined)
    await w.ok('POST', `/access-reviews/${String(review.id)}/complete`)
    await w.completed(review.id)
    reviewId = review.id
    const auditor = await w.service.person({}, ['auditor'])
    const get = (address: string) =>
      fetch(`${w.service.core.services.publicUrl}/api/v1${address}`, { headers: { cookie: auditor.cookie } })
    await until(async () => (await get(path)).status === 200, 20_000, 'the evidence')
    file = await (await get(path)).text()
    key = await (await get('/audit/key.pub')).text()
  })
  after(async () => {
    await w.service.stop()
    await rm(folder, { recursive: true, force: true })
  })

  /** The arguments of the command line, which has the file and the public key only. */
  const stored = async (text: string) => {
    const [bundle, keyFile] = [join(folder, 'evidence.ndjson'), join(folder, 'key.pub')]
    await writeFile(bundle, text)
    await writeFile(keyFile, key)
    return { bundle, keyFile }
  }
  const verified = async (text: string) => {
    const { bundle, keyFile } = await stored(text)
    return runSvc(['audit', 'verify', '--bundle', bundle, '--key', keyFile], {
      databaseUrl: 'postgres://nobody@127.0.0.1:1/none',
      secretKey: 'A'.repeat(43),
    })
  }

  it('GOV-02 AUD-01 is verified offline by the command line and by a second program', async () => {
    const { code, output } = await verified(file)
    expect([code, output]).to.deep.equal([0, output])
    expect(output).to.contain('integrity: ok').and.to.contain('completeness: ok')
    expect(secondOpinion(file, key)).to.deep.equal([])
    expect(JSON.parse(file.split('\n')[0] ?? '')).to.include({ format: 'svc-review-evidence/1', reviewId })
    expect(file).not.to.contain('A secret reason')
  })

  it('GOV-02 AUD-01 a changed, missing or cut decision, item or population is found by both', async () => {
    const lines = file.trimEnd().split('\n')
    const without = (pattern: RegExp) => lines.filter((line) => !pattern.test(line)).join('\n')
    const changed: readonly (readonly [what: string, text: string])[] = [
      ['a decision turned round', file.replace('"decision":"revoked"', '"decision":"approved"')],
      ['a decision left out', without(/"decision":"revoked".*item_decided/)],
      ['what was applied left out', without(/item_applied/)],
      ['the population left out', without(/items_recorded/)],
      ['the end cut off', lines.slice(0, -2).join('\n')],
      ['a line that is no event', file.replace('"leaf":{', '"leaf":null,"was":{')],
      ['a population that is no list', file.replace('"items":[', '"items":7,"were":[')],
      ['a proof that is no list of texts', file.replace('"proof":[', '"proof":[7,')],
      ['another reviewer', file.replaceAll(w.manager.userId, w.owner.userId)],
    ]
    for (const [what, text] of changed) {
      expect(text.trimEnd(), what).not.to.equal(file.trimEnd())
      const { bundle, keyFile } = await stored(`${text.trimEnd()}\n`)
      const { integrity, completeness } = await verifyBundleFile(bundle, { key: keyFile, checkpoint: [] })
      expect(integrity.ok && completeness.ok, what).to.equal(false)
      expect(secondOpinion(`${text.trimEnd()}\n`, key), what).not.to.deep.equal([])
    }
  })
})
