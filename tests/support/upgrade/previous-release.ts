/** The program of the previous release, built from its commit. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../../', import.meta.url))

interface Release {
  readonly version: string
  /** A commit or a tag */
  readonly commit: string
}

/**
 * Builds it once per machine; later calls reuse it.
 * @returns its version and the path of its `cli/main.js`
 * @throws Error if this clone does not have the commit, or its packages cannot be installed
 */
export const previousRelease = async (): Promise<{ readonly version: string; readonly program: string }> => {
  const releases = JSON.parse(
    readFileSync(join(root, 'infra', 'releases.json'), 'utf8'),
  ) as readonly Release[]
  const release = releases.at(-1)
  if (release === undefined) throw new Error('infra/releases.json names no release')
  const { version, commit } = release
  const folder = join(tmpdir(), `svc-release-${commit.slice(0, 12)}`)
  const program = join(folder, '.build', 'cli', 'main.js')
  if (existsSync(program)) return { version, program }
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const archive = join(folder, 'source.tar')
  try {
    await run('git', ['archive', '--output', archive, commit], { cwd: root })
  } catch (error) {
    throw new Error(`This clone lacks commit ${commit}, release ${version}: git fetch --unshallow`, {
      cause: error,
    })
  }
  await run('tar', ['-xf', archive, '-C', folder])
  await run(process.execPath, [join(folder, 'infra', 'setup.mjs')], {
    cwd: folder,
    maxBuffer: 64 * 1024 * 1024,
  })
  return { version, program }
}
