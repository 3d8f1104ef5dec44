/** The document of the real routes: requirements of generators, linters and clients besides validity. */
import { expect } from 'chai'
import { parse } from 'yaml'
import { CONTROLS, DASHES, INVISIBLE, LETTERS } from '../../adapters/inbound/http/character-classes.ts'
import type { Schema } from '../../adapters/inbound/http/expectation.ts'
import { openApiDocument } from '../../infra/pages/openapi.ts'

interface Response {
  readonly $ref?: string
  readonly headers?: Record<string, unknown>
}
interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly schema: Schema }[]
  readonly responses: Record<string, Response>
  readonly 'x-required-roles'?: readonly string[]
}
interface Document {
  readonly info: { readonly license?: object; readonly contact?: object }
  readonly tags: readonly { readonly name: string; readonly description?: string }[]
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: {
    readonly schemas: Record<string, Schema>
    readonly headers: Record<string, unknown>
    readonly responses: Record<string, Response & { readonly content: unknown }>
  }
}

const schemasIn = (value: unknown): readonly Schema[] => {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap(schemasIn)
  return 'type' in value ? [value as Schema, ...inner] : inner
}

describe('API-02 the OpenAPI document of the service', () => {
  const document = parse(openApiDocument(new URL('../../', import.meta.url))) as Document
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const responseOf = (response: Response | undefined): Response =>
    (response?.$ref === undefined
      ? response
      : document.components.responses[response.$ref.split('/').at(-1) ?? '']) ?? {}

  it('names the licence and a contact, and describes every tag', () => {
    expect(document.info).to.include.keys('license', 'contact')
    for (const { name, description } of document.tags) expect(description, name).to.be.a('string')
  })
  it('has one schema of errors, and no two names that collide in generated code', () => {
    for (const [name, { content }] of Object.entries(document.components.responses))
      expect(content, name).to.deep.equal({
        'application/json': { schema: { $ref: '#/components/schemas/Error' } },
      })
    const names = Object.keys(document.components.schemas)
    expect(new Set(names.map((name) => name.toLowerCase())).size).to.equal(names.length)
    // Generators for Go write a function New… for each schema.
    expect(names.filter((name) => name.startsWith('New') && names.includes(name.slice(3)))).to.deep.equal([])
  })
  it('has no property whose only type is null, and 64 bits for integers', () => {
    for (const schema of schemasIn(document)) {
      for (const [name, property] of Object.entries(schema.properties ?? {}))
        expect(property.type, name).not.to.equal('null')
      if (schema.type === 'integer') expect(schema.format, JSON.stringify(schema)).to.equal('int64')
    }
  })
  it('names each of several forms of a request, and has no boolean constants', () => {
    const inner = (value: unknown): readonly Schema[] =>
      typeof value !== 'object' || value === null ? [] : [value, ...Object.values(value).flatMap(inner)]
    for (const { oneOf = [], properties = {} } of inner(document)) {
      for (const form of oneOf) expect(form, JSON.stringify(form).slice(0, 200)).to.have.keys('$ref')
      // Generators for Java write text in its place, one for Python a line that does not compile.
      for (const [name, { const: constant }] of Object.entries(properties))
        expect(typeof constant, name).not.to.equal('boolean')
    }
  })
  it('has patterns that regular expressions of Python and Java understand', () => {
    for (const [, pattern = ''] of JSON.stringify(document).matchAll(/"pattern":"((?:[^"\\\\]|\\\\.)*)"/g))
      expect(pattern).not.to.match(/\\\\p\{|\\\\u\{|\(\?<[=!]/i)
    const members = (inside: string): readonly string[] => {
      const among = new RegExp(`[${inside}]`, 'u')
      return Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter((each) =>
        among.test(each),
      )
    }
    expect(members(CONTROLS)).to.deep.equal(members('\\p{Cc}'))
    expect(members(DASHES)).to.deep.equal(members('\\p{Pd}'))
    expect(members(INVISIBLE)).to.include.members(members('\\p{Cc}\\p{Co}\\p{Bidi_Control}'))
    expect(members(LETTERS).filter((each) => !/[\p{L}\p{M}\p{N}\p{Cn}]/u.test(each))).to.deep.equal([])
  })
  it('documents the headers of every response', () => {
    const expected: readonly [string, string][] = [
      ['401', 'WWW-Authenticate'],
      ['429', 'Retry-After'],
      ['503', 'Retry-After'],
    ]
    for (const { path, method, operation } of operations) {
      for (const [status, header] of expected)
        if (status in operation.responses)
          expect(
            responseOf(operation.responses[status]).headers,
            `${method} ${path} ${status}`,
          ).to.have.property(header)
      if (operation.parameters?.some(({ name }) => name === 'cursor') === true)
        expect(operation.responses['200']?.headers, `${method} ${path}`).to.have.property('Link')
    }
    for (const path of ['/users/{id}', '/groups/{id}', '/applications/{id}', '/webhooks/{id}', '/settings'])
      expect(document.paths[path]?.['get']?.responses['200']?.headers, path).to.have.property('ETag')
  })
  it('states the form of an Idempotency-Key', () => {
    const key = document.paths['/users']?.['post']?.parameters?.find(({ name }) => name === 'Idempotency-Key')
    const pattern = new RegExp(key?.schema.pattern ?? '')
    expect(pattern.test('a key')).to.equal(true)
    for (const wrong of ['', ' ', 'é', 'x'.repeat(256), 'a\n'])
      expect(pattern.test(wrong), wrong).to.equal(false)
  })
  it('names the global administrator wherever a role is required', () => {
    for (const { path, method, operation } of operations)
      if (operation['x-required-roles'] !== undefined)
        expect(operation['x-required-roles'], `${method} ${path}`).to.include('global_admin')
  })
})
