/** Programs of others that a campaign fetches, at fixed versions, into a folder that is removed afterwards. */
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const programs = fileURLToPath(new URL('programs', import.meta.url))
export const openApiFile = fileURLToPath(new URL('../../../infra/docs/openapi.yaml', import.meta.url))

export const versions = {
  openApiGenerator: '7.25.0',
  openApiTypeScript: '7.13.0',
  openApiFetch: '0.17.0',
  openApiPythonClient: '0.29.1',
  schemathesis: '4.32.5',
  redocly: '2.77.0',
  spectral: '6.16.3',
  scim2Tester: '0.5.2',
  scimSanity: '0.7.4',
  authlib: '1.9.9',
  goOidc: 'v3.21.0',
  goOauth2: 'v0.37.0',
  springBoot: '4.1.2',
  keycloak: '26.7.3',
} as const

export interface Ended {
  readonly code: number | null
  readonly output: string
  readonly errors: string
}

interface How {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
}

/** Runs a program to its end, whatever that is. */
export const ended = (command: string, args: readonly string[], { cwd, env }: How = {}): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, NO_COLOR: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const said = { output: '', errors: '' }
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (said.output += chunk))
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (said.errors += chunk))
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, ...said }))
  })

/**
 * What a program prints.
 * @throws Error with all that it printed, if it fails
 */
export const output = async (command: string, args: readonly string[], how?: How): Promise<string> => {
  const { code, output: printed, errors } = await ended(command, args, how)
  if (code !== 0)
    throw new Error(`${command} ${args.join(' ')} ended with ${String(code)}:\n${printed}\n${errors}`)
  return printed
}

/** A folder of its own, and what removes it. */
export const workplace = async (): Promise<{
  readonly folder: string
  readonly remove: () => Promise<void>
}> => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-outside-'))
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}

/** Installs packages of PyPI, and returns the folder of their commands. */
export const pythonPackages = async (folder: string, ...packages: readonly string[]): Promise<string> => {
  const environment = join(folder, 'python')
  await output('python3', ['-m', 'venv', environment])
  await output(join(environment, 'bin', 'pip'), ['install', '--quiet', ...packages])
  return join(environment, 'bin')
}

/** Installs packages of npm, and returns the folder of their commands. */
export const npmPackages = async (folder: string, ...packages: readonly string[]): Promise<string> => {
  await output('npm', ['install', '--silent', '--no-save', '--prefix', folder, ...packages])
  return join(folder, 'node_modules', '.bin')
}

/** Fetches one file of Maven Central, and returns its path. @param type its packaging */
export const mavenFile = async (
  folder: string,
  group: string,
  name: string,
  version: string,
  type = 'jar',
): Promise<string> => {
  await output('mvn', [
    ...['--batch-mode', '--quiet', 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy'],
    `-Dartifact=${group}:${name}:${version}:${type}`,
    `-DoutputDirectory=${folder}`,
  ])
  return join(folder, `${name}-${version}.${type}`)
}
