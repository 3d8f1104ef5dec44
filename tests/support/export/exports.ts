import { expect } from 'chai'
import { createWriteStream } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { TestPerson, TestService } from '../service/service.ts'
import { until } from '../until.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- responses are held to expectations, not to types
type Json = any

export interface ExportOptions {
  readonly kinds: readonly string[]
  readonly format?: 'ndjson' | 'csv'
  readonly at?: string
}

/** Requests exports and downloads them, as one administrator. */
export const exporting = (service: TestService, as: TestPerson) => {
  const find = async (id: string): Promise<Json> => (await service.api('GET', `/export/${id}`, { as })).body

  /** Requests an export and waits until it is ready. */
  const ready = async ({ format = 'ndjson', ...request }: ExportOptions): Promise<Json> => {
    const started = await service.api('POST', '/export', { as, body: { ...request, format } })
    expect(started.status, JSON.stringify(started.body)).to.equal(202)
    const id = started.body.id as string
    await until(async () => !['queued', 'running'].includes((await find(id)).status), 60_000)
    const done = await find(id)
    expect(done.status).to.equal('ready')
    return done
  }

  /** The address of the file. */
  const address = async (id: string): Promise<string> => {
    const { status, body } = await service.api('POST', `/export/${id}/download`, { as, body: {} })
    expect(status, JSON.stringify(body)).to.equal(201)
    return body.downloadUrl as string
  }

  const fetchFile = (url: string, person = as): Promise<Response> =>
    fetch(url, { headers: { Cookie: person.cookie } })

  /** Downloads the file of an export. @returns its path */
  const download = async (id: string): Promise<string> => {
    const response = await fetchFile(await address(id))
    expect(response.status).to.equal(200)
    const path = join(await mkdtemp(join(tmpdir(), 'svc-export-')), 'export.zip')
    await pipeline(Readable.fromWeb(response.body as never), createWriteStream(path))
    return path
  }

  return { find, ready, address, fetchFile, download }
}

/** The public key of the audit tree. */
export const auditKey = async (service: TestService): Promise<string> =>
  (await service.api('GET', '/audit/key.pub')).body as string
