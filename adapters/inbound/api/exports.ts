import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { DomainError } from '../../../domain/errors.ts'
import type { ExportTaskRow } from '../../../read-models/queries/exports.ts'
import { exportCommands } from '../../application/exports/exports.ts'
import type { Services } from '../../application/services/services.ts'
import { SealBroken } from '../../engines/vault/aead.ts'
import { actorOf } from '../http/actor.ts'
import { actorIdOf, credentialOf, type KnownCaller } from '../http/caller.ts'
import { BASE_PATH, created, done, fields, idOf, route, type Route } from '../http/route.ts'
import { existing, printable, proven, readers, timeInput, writers } from '../http/schemas.ts'
import { Export, ExportDownload, Format, Kind } from './export-schemas.ts'
import { timeOf } from './past.ts'

const tag = 'Export'
const ZIP = 'application/zip'
const DOWNLOAD = 'export-download'
const DOWNLOAD_SECONDS = 300
const params = fields({ id: idOf('export') })
const access = writers('global_admin', 'auditor')

/** A token is bound to an export and a credential. */
const placeOf = (exportId: string, caller: KnownCaller): string =>
  `${exportId} ${JSON.stringify(credentialOf(caller))}`

/** Routes for exports of data. */
export const exportRoutes = (
  services: Pick<Services, 'handle' | 'pool' | 'clock' | 'vault' | 'random' | 'pastRecord' | 'publicUrl'>,
): readonly Route[] => {
  const { clock, publicUrl, vault } = services
  const exports = exportCommands(services)

  /** @throws DomainError ERR_FORBIDDEN for the token of another export or caller, or an old one */
  const mustBeCurrent = (token: string, place: string): void => {
    if (!isCurrent(token, place))
      throw new DomainError(
        'ERR_FORBIDDEN',
        'token: invalid or expired. Create another address to download the export.',
      )
  }

  const isCurrent = (token: string, place: string): boolean => {
    try {
      return vault.open(DOWNLOAD, token, place).toString() > clock.now()
    } catch (error) {
      if (error instanceof SealBroken) return false
      throw error
    }
  }

  const shown = ({ attempt: _, sealedKey, ...row }: ExportTaskRow) => ({
    ...row,
    downloadable: row.status === 'ready' && sealedKey !== null,
  })

  return [
    route({
      method: 'POST',
      path: '/export',
      tag,
      summary: 'Request an export',
      description:
        'The file is a ZIP archive with one file for each kind, a manifest with their hashes, the log position and a signed checkpoint. It can be downloaded once, within 24 hours of the request. With the same `at`, two exports contain the same files.',
      access: proven(access),
      body: fields({
        kinds: Type.Array(Kind, { minItems: 1, uniqueItems: true }),
        format: Format,
        at: Type.Optional(timeInput('The state at this time; default: now')),
      }),
      result: Export,
      status: 202,
      errors: ['ERR_CONFLICT'],
      audit: ['export.create'],
      handle: async (request) => {
        const { kinds, format, at } = request.body
        const id = await exports.request(
          { kinds, format, at: at === undefined ? null : timeOf(at, clock.now()) },
          actorIdOf(request.caller),
          actorOf(request),
        )
        const headers = { Location: `${BASE_PATH}/export/${id}` }
        return { body: shown(await existing(exports.find(id))), headers }
      },
    }),
    route({
      method: 'GET',
      path: '/export',
      tag,
      summary: 'List exports, newest first',
      description: 'Exports are listed for 24 hours.',
      access: readers,
      result: Type.Array(Export),
      status: 200,
      errors: [],
      handle: async () => ({ body: (await exports.list()).map(shown) }),
    }),
    route({
      method: 'GET',
      path: '/export/{id}',
      tag,
      summary: 'Get the progress of an export',
      access: readers,
      params,
      result: Export,
      status: 200,
      errors: [],
      handle: async ({ params: { id } }) => ({ body: shown(await existing(exports.find(id))) }),
    }),
    route({
      method: 'POST',
      path: '/export/{id}/download',
      tag,
      summary: 'Create an address to download an export',
      description: 'Only the same session or API key can use it, for 5 minutes.',
      access: proven(access),
      params,
      body: fields({}),
      result: ExportDownload,
      status: 201,
      errors: ['ERR_CONFLICT'],
      handle: async ({ params: { id }, caller }) => {
        await exports.mustHaveFile(id)
        const expiresAt = clock.in(DOWNLOAD_SECONDS)
        const token = vault.seal(DOWNLOAD, expiresAt, placeOf(id, caller))
        const path = `${BASE_PATH}/export/${id}/file?token=${token}`
        return created(path, { downloadUrl: publicUrl + path, expiresAt })
      },
    }),
    route({
      method: 'GET',
      path: '/export/{id}/file',
      tag,
      summary: 'Download an export',
      description:
        'The file is deleted once all of it was sent. An interrupted download can be repeated from the beginning.',
      access,
      params,
      query: fields({ token: printable(200, 'As in the address that POST /export/{id}/download returned') }),
      produces: [ZIP],
      status: 200,
      errors: ['ERR_CONFLICT', 'ERR_FORBIDDEN'],
      handle: async (request) => {
        const { id } = request.params
        mustBeCurrent(request.query.token, placeOf(id, request.caller))
        const { bytes } = await exports.mustHaveFile(id)
        const data =
          request.http.method === 'HEAD' ? Readable.from([]) : await exports.download(id, actorOf(request))
        return {
          content: { type: ZIP, data },
          headers: {
            'Content-Disposition': `attachment; filename="export-${id}.zip"`,
            'Content-Length': String(bytes),
          },
        }
      },
    }),
    route({
      method: 'DELETE',
      path: '/export/{id}',
      tag,
      summary: 'Delete an export and its file',
      description: 'An export that is being written is cancelled.',
      access,
      params,
      status: 204,
      errors: [],
      handle: async ({ params: { id } }) => {
        await exports.delete(id)
        return done
      },
    }),
  ]
}
