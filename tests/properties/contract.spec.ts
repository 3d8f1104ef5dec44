/**
 * The service rejects requests that match the API document only because of existing or missing records.
 * `SVC_CAMPAIGN_RUNS` turns it into a campaign (`npm run campaign -- contract`).
 */
import { expect } from 'chai'
import fc from 'fast-check'
import { parse } from 'yaml'
import type { Schema } from '../../adapters/inbound/http/expectation.ts'
import { contractWorld, type ContractWorld } from '../support/contract/world.ts'
import { reasonFor } from '../support/contract/reasons.ts'
import { valuesFrom } from '../support/contract/values.ts'
import { SEED } from '../support/random.ts'
import { testService, type TestService } from '../support/service/service.ts'

const given = Number(process.env['SVC_CAMPAIGN_RUNS'])
const RUNS = Number.isInteger(given) && given > 0 ? given : 4

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly schema: Schema
}
interface Operation {
  readonly operationId: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> }
  readonly 'x-credentials': readonly string[]
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** Operations that create records: some of their requests must succeed. */
const creating = new Set([
  'post_users',
  'post_groups',
  'post_applications',
  'post_webhooks',
  'post_api_resources',
  'post_service_accounts',
  'post_api_keys',
  'put_applications_id_saml',
])

/** Cursors are opaque: a client only has those that a list returned. */
const isFree = ({ in: where, name }: Parameter): boolean => where === 'query' && name !== 'cursor'

const objectOf = (parameters: readonly Parameter[]): Schema => ({
  type: 'object',
  properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
  required: parameters.filter(({ required }) => required).map(({ name }) => name),
})

describe('API-02 requests that match the API document', function () {
  this.timeout(120_000 + RUNS * 30_000)
  let service: TestService
  let world: ContractWorld
  let document: Document
  before(async () => {
    service = await testService()
    document = parse(await (await fetch(`${service.publicUrl}/api/v1/openapi.yaml`)).text()) as Document
    world = await contractWorld(service)
  })
  after(() => service.stop())

  it('are rejected only because of existing or missing records', async () => {
    const valueOf = valuesFrom(document.components.schemas, world.ids)
    const failures: string[] = []
    const accepted = new Map<string, number>()
    for (const [path, operations] of Object.entries(document.paths))
      for (const [method, operation] of Object.entries(operations)) {
        const { operationId, parameters = [], requestBody, 'x-credentials': credentials } = operation
        const body = requestBody?.content['application/json']?.schema
        const query = parameters.filter(isFree)
        // Files have their own formats, which the document does not describe.
        const isUpload = requestBody !== undefined && body === undefined
        if (isUpload || (body === undefined && query.length === 0)) continue
        const input = fc.record({
          path: valueOf(objectOf(parameters.filter(({ in: where }) => where === 'path'))),
          query: valueOf(objectOf(query)),
          body: body === undefined ? fc.constant(undefined) : valueOf(body),
        }) as fc.Arbitrary<{ path: Record<string, string>; query: Record<string, unknown>; body: unknown }>
        const numRuns = creating.has(operationId) ? 8 * RUNS : RUNS
        const samples = fc.sample(input, { numRuns, seed: SEED })
        for (const each of samples) {
          const search = new URLSearchParams(
            Object.entries(each.query).map(([name, value]) => [name, String(value)]),
          )
          const place = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
            encodeURIComponent(each.path[name] ?? ''),
          )
          const label = `${operationId} ${JSON.stringify(each)}`
          const response = await world.send(
            credentials,
            method.toUpperCase(),
            search.size === 0 ? place : `${place}?${search.toString()}`,
            each.body,
          )
          if (response.status < 400) accepted.set(operationId, (accepted.get(operationId) ?? 0) + 1)
          const { code = '', message = '' } = (
            response.body as { error?: { code?: string; message?: string } }
          ).error ?? { code: undefined }
          if (response.status >= 500 && response.status !== 502 && response.status !== 503)
            failures.push(`${label}: ${String(response.status)} ${message}`)
          if ((code === 'ERR_INVALID' || code === 'ERR_INVALID_JSON') && reasonFor(message) === null)
            failures.push(`${label}: ${message}`)
        }
      }
    expect(failures, failures.join('\n')).to.have.length(0)
    for (const operationId of creating)
      expect(accepted.get(operationId) ?? 0, operationId).to.be.greaterThan(0)
  })
})
