import { expect } from 'chai'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { verifyBundle, type BundleVerification } from '../../adapters/engines/audit/bundle/verify.ts'
import { nodeBytes } from '../../adapters/engines/audit/bytes.ts'
import { exportBundle, verifyBundleFile } from '../../cli/server/audit-bundle.ts'
import { parseVerifier } from '../../domain/audit/signed-note.ts'
import { auditHistory, auditCaughtUp } from '../support/audit/audit-history.ts'
import { verifyBundleFile as verifyElsewhere } from '../support/audit/bundle-verifier.ts'
import { runSvc } from '../support/service/processes.ts'
import {
  recordingLog,
  testPlace,
  testService,
  type TestPlace,
  type TestService,
} from '../support/service/service.ts'
import { random } from '../support/random.ts'

describe('Bundles of the audit trail', function () {
  this.timeout(300_000)
  let place: TestPlace
  let service: TestService
  let key: string
  let keyFile: string
  let checkpoint: string
  let size: number

  const pathOf = (name: string): string => join(place.config.dataDir, name)
  const write = async (name: string, from?: number | string, to?: number | string, with_: string[] = []) => {
    const out = pathOf(name)
    const optional = (value?: number | string) => (value === undefined ? undefined : String(value))
    await exportBundle(place.config, recordingLog(), {
      out,
      from: optional(from),
      to: optional(to),
      checkpoint: with_,
    })
    return out
  }
  const whole = async (): Promise<Buffer> => readFile(await write('whole.ndjson'))
  const verify = (bytes: Buffer): Promise<BundleVerification> =>
    verifyBundle(
      (async function* () {
        // Splits the bytes at arbitrary positions.
        for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000)
      })(),
      parseVerifier(nodeBytes, key)!,
    )
  const holds = ({ integrity, completeness }: BundleVerification): boolean => integrity.ok && completeness.ok

  before(async () => {
    place = await testPlace()
    service = await testService(place)
    const { admin } = await auditHistory(service)
    key = String((await service.api('GET', '/audit/key.pub')).body).trim()
    keyFile = pathOf('key.pub')
    await writeFile(keyFile, `${key}\n`)
    checkpoint = pathOf('checkpoint.txt')
    const { body } = await service.api('GET', '/audit/checkpoint', {
      as: admin,
      headers: { Accept: 'text/plain' },
    })
    await writeFile(checkpoint, String(body))
    for (let n = 0; n < 5; n++) await service.person()
    await auditCaughtUp(service)
    const { rows } = await service.core.services.pool.query<{ size: number }>('select size from proof.tree')
    size = rows[0]?.size ?? 0
  })
  after(async () => {
    await service?.stop()
    await place?.drop()
  })

  it('AUD-01 are valid for svc and for a verifier that was written from the format’s documentation alone', async () => {
    const bundle = await whole()
    const verification = await verify(bundle)
    expect(verification.findings).to.deep.equal([])
    expect(verification).to.include({ from: 0, to: size, size, leaves: size, expired: 0 })
    expect(verifyElsewhere(bundle, key)).to.include({ size, leaves: size })
    expect(bundle.toString()).not.to.contain('Lovelace').and.not.to.contain('Hopper')
  })

  it('AUD-01 can be verified for any part of the log', async () => {
    for (const [from, to] of [
      [0, 1],
      [1, 2],
      [3, 100],
      [255, 257],
      [256, 300],
      [100, size],
      [size - 1, size],
      [7, 7],
    ] as const) {
      const bundle = await readFile(await write('part.ndjson', from, to))
      const verification = await verify(bundle)
      expect(verification.findings, `${String(from)} to ${String(to)}`).to.deep.equal([])
      expect(verification.leaves).to.equal(to - from)
      expect(verifyElsewhere(bundle, key).leaves).to.equal(to - from)
    }
    const day = new Date(Date.now() - 86_400_000).toISOString()
    expect(holds(await verify(await readFile(await write('since.ndjson', day))))).to.equal(true)
  })

  it('AUD-01 fail in both verifiers if any byte is changed, with the line of a changed leaf', async () => {
    const bundle = await readFile(await write('some.ndjson', 250, 270))
    const lines = bundle.toString().split('\n')
    let from = 0
    for (const [i, line] of lines.entries()) {
      const length = Buffer.byteLength(line) + 1
      for (let turn = 0; turn < 6 && from < bundle.length; turn++) {
        const at = Math.min(bundle.length - 1, from + Math.floor(random() * length))
        const changed = Buffer.from(bundle)
        changed[at]! ^= 1 << Math.floor(random() * 8)
        const verification = await verify(changed)
        const what = `byte ${String(at)} in line ${String(i + 1)}`
        expect(holds(verification), what).to.equal(false)
        expect(() => verifyElsewhere(changed, key), what).to.throw()
        if (i > 0)
          expect(verification.findings[0]?.what, what).to.match(new RegExp(`^line ${String(i + 1)}:`))
      }
      from += length
    }
  })

  it('AUD-01 fail if lines were removed, swapped or cut off, or with another key', async () => {
    const lines = (await readFile(await write('lines.ndjson', 10, 30))).toString().split('\n').slice(0, -1)
    const joined = (some: readonly string[]): Buffer => Buffer.from(some.map((line) => `${line}\n`).join(''))
    expect(holds(await verify(joined(lines)))).to.equal(true)
    const hashAlone = lines.map((line, i) => (i === 5 ? line.replace(/,"leaf":.*$/, '}') : line))
    for (const some of [
      lines.slice(0, -1),
      lines.slice(0, 10),
      lines.slice(0, 1),
      lines.filter((_, i) => i !== 7),
      [...lines.slice(0, 3), lines[4]!, lines[3]!, ...lines.slice(5)],
      [...lines.slice(0, 4), lines[4]!, ...lines.slice(4)],
      hashAlone,
      [],
    ]) {
      expect(holds(await verify(joined(some)))).to.equal(false)
      expect(() => verifyElsewhere(joined(some), key)).to.throw()
    }
    const other = parseVerifier(
      nodeBytes,
      'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
    )!
    const chunks = (async function* () {
      yield joined(lines)
    })()
    expect(holds(await verifyBundle(chunks, other))).to.equal(false)
  })

  it('AUD-01 show that the log has only grown since a checkpoint that was stored', async () => {
    const kept = { key: keyFile, checkpoint: [checkpoint] }
    expect((await verifyBundleFile(await write('all.ndjson'), kept)).findings).to.deep.equal([])
    const late = await write('late.ndjson', size - 2, size, [checkpoint])
    expect((await verifyBundleFile(late, kept)).findings).to.deep.equal([])
    const without = await write('without.ndjson', size - 2, size)
    expect(holds(await verifyBundleFile(without, kept))).to.equal(false)
  })

  it('AUD-01 are not written if events are inconsistent', async () => {
    const client = new pg.Client({ connectionString: place.databaseUrl })
    await client.connect()
    const change = (sign: string) =>
      client.query(`update log.event set revision = revision ${sign} 1000 where position = 50`)
    try {
      await change('+')
      const refused = await write('bad.ndjson').catch((error: unknown) => String(error))
      expect(refused).to.contain('Run "svc audit verify"')
    } finally {
      await change('-')
      await client.end()
    }
  })

  it('AUD-01 svc audit does all this from a terminal, offline without any configuration', async () => {
    const setting = { databaseUrl: place.databaseUrl, secretKey: place.config.secretKey ?? '' }
    const out = pathOf('cli.ndjson')
    const live = await runSvc(['audit', 'verify'], setting)
    expect([live.code, live.output]).to.satisfy(([code]: unknown[]) => code === 0, live.output)
    expect(live.output).to.contain('integrity: ok').and.to.contain('completeness: ok')
    expect((await runSvc(['audit', 'export', '--out', out], setting)).code).to.equal(0)
    const nothing = { databaseUrl: 'postgres://127.0.0.1:1/none', secretKey: '' }
    const args = ['audit', 'verify', '--bundle', out, '--key', keyFile]
    const offline = await runSvc([...args, '--json'], nothing)
    expect(offline.code, offline.output).to.equal(0)
    const result = JSON.parse(offline.output.split('\n').find((line) => line.startsWith('{')) ?? '') as {
      leaves: number
    }
    expect(result.leaves).to.equal(size)
    await writeFile(out, (await readFile(out, 'utf8')).replace('user.invited', 'user.invitee'))
    const failed = await runSvc(args, nothing)
    expect(failed.code).to.equal(1)
    expect(failed.output)
      .to.match(/integrity: FAILED/)
      .and.to.match(/bundle, stream \S+, event \S+: line \d+/)
    expect((await runSvc(['audit', 'verify', '--bundle', out], nothing)).code).to.equal(2)
  })
})
