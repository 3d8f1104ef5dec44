/** Clients that others' programs generate from the API document compile, and do what administrators do. */
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { apiKey, type TestKey } from '../../support/api/api-keys.ts'
import { testService, type TestService } from '../../support/service/service.ts'
import {
  mavenFile,
  npmPackages,
  openApiFile,
  output,
  programs,
  pythonPackages,
  versions,
  workplace,
} from './tools.ts'

const NO_EXTRAS =
  'apiTests=false,modelTests=false,apiDocs=false,modelDocs=false,models=,apis=,supportingFiles='
const GO_MODULE = 'module tour\n\ngo 1.23\n\nrequire gopkg.in/validator.v2 v2.0.1\n'
const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  target: 'ES2022',
  module: 'NodeNext',
  noEmit: true,
  types: ['node'],
}

describe('Generated clients', function () {
  this.timeout(900_000)
  let service: TestService
  let key: TestKey
  let folder: string
  let generator: string
  let env: Record<string, string>
  let remove: () => Promise<void>
  before(async () => {
    ;({ folder, remove } = await workplace())
    generator = await mavenFile(
      folder,
      'org.openapitools',
      'openapi-generator-cli',
      versions.openApiGenerator,
    )
    service = await testService()
    key = await apiKey(service, { roles: ['global_admin'] })
    env = { BASE_URL: service.publicUrl, API_KEY: key.key }
  })
  after(async () => {
    await service.stop()
    await remove()
  })

  const place = async (name: string, program: string): Promise<string> => {
    const at = join(folder, name)
    await mkdir(at, { recursive: true })
    await copyFile(join(programs, program), join(at, program.split('/').at(-1) ?? ''))
    return at
  }
  const generate = (language: string, target: string, ...more: readonly string[]) =>
    output('java', [
      ...['-jar', generator, 'generate', '-g', language, '-i', openApiFile, '-o', target],
      ...['--global-property', NO_EXTRAS, ...more],
    ])
  /** The program itself checks what single requests returned. */
  const listedAll = (printed: string, label: string): void => {
    const names = (count: number) => Array.from({ length: count }, (_, at) => `${label} ${String(at + 1)}`)
    expect(JSON.parse(printed)).to.deep.equal({
      users: { names: names(5), pages: 3 },
      groups: { names: names(3), pages: 2 },
      applications: { names: names(3), pages: 2 },
    })
  }

  it('openapi-generator for Go', async () => {
    const at = await place('go', 'go/tour.go')
    await writeFile(join(at, 'go.mod'), GO_MODULE)
    const options = ['--package-name', 'identity', '--additional-properties', 'withGoMod=false']
    await generate('go', join(at, 'identity'), ...options)
    await output('go', ['vet', './...'], { cwd: at, env: { GOFLAGS: '-mod=mod' } })
    await output('go', ['build', '-o', 'tour', '.'], { cwd: at, env: { GOFLAGS: '-mod=mod' } })
    listedAll(await output(join(at, 'tour'), [], { env }), 'Go')
  })

  it('openapi-generator for Java', async () => {
    const at = join(folder, 'java')
    const options = 'disallowAdditionalPropertiesIfNotPresent=false,containerDefaultToNull=true'
    await generate('java', at, '--additional-properties', options)
    await place('java/src/main/java', 'java/Tour.java')
    const maven = ['--batch-mode', '--quiet', '-Djava.version=17']
    await output('mvn', [...maven, 'compile'], { cwd: at })
    const run = ['org.codehaus.mojo:exec-maven-plugin:3.6.2:java', '-Dexec.mainClass=Tour']
    const printed = await output('mvn', [...maven, ...run], { cwd: at, env })
    listedAll(printed.slice(printed.indexOf('{'), printed.lastIndexOf('}') + 1), 'Java')
  })

  it('openapi-generator and openapi-python-client for Python', async () => {
    const at = await place('python', 'python/tour_openapi_generator.py')
    await place('python', 'python/tour_openapi_python_client.py')
    const bin = await pythonPackages(folder, `openapi-python-client==${versions.openApiPythonClient}`, 'ruff')
    await generate('python', join(at, 'generated'), '--package-name', 'identity_client')
    await output(join(bin, 'pip'), ['install', '--quiet', join(at, 'generated')])
    const options = ['--output-path', join(at, 'identity_api'), '--meta', 'none']
    await output(join(bin, 'openapi-python-client'), ['generate', '--path', openApiFile, ...options], {
      env: { PATH: `${bin}:${process.env['PATH'] ?? ''}` },
    })
    for (const part of ['generated', 'identity_api'])
      await output(join(bin, 'python'), ['-m', 'compileall', '-q', join(at, part)])
    for (const [program, label] of [
      ['tour_openapi_generator.py', 'Python'],
      ['tour_openapi_python_client.py', 'Attrs'],
    ] as const)
      listedAll(await output(join(bin, 'python'), [program], { cwd: at, env }), label)
  })

  it('openapi-typescript and openapi-fetch', async () => {
    const at = await place('typescript', 'typescript/tour.mts')
    await writeFile(join(at, 'package.json'), '{ "type": "module" }')
    await writeFile(join(at, 'tsconfig.json'), JSON.stringify({ compilerOptions: STRICT }))
    const bin = await npmPackages(
      at,
      `openapi-typescript@${versions.openApiTypeScript}`,
      `openapi-fetch@${versions.openApiFetch}`,
      ...['typescript@5.9.3', 'tsx@4.23.15', '@types/node@20.19.43'],
    )
    await output(join(bin, 'openapi-typescript'), [openApiFile, '--output', join(at, 'schema.d.ts')])
    await output(join(bin, 'tsc'), ['--project', at])
    listedAll(await output(join(bin, 'tsx'), ['tour.mts'], { cwd: at, env }), 'TypeScript')
  })
})
