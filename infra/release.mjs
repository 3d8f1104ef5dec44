// `npm run release -- <version>`: sets the version, freezes a data set of it for the upgrade tests, writes the pages,
// and commits and tags everything. The changelog must have a section for the version.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execFileSync } from 'node:child_process'
import { binOf, root, run, runMain, setup, SetupError } from './setup.mjs'

const usage = 'usage: npm run release -- <version>'
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
const read = (file) => readFileSync(join(root, file), 'utf8')

/** Checks everything before anything is written. */
const check = (version) => {
  if (git('status', '--porcelain') !== '') throw new SetupError('Commit or discard your changes first.')
  if (git('tag', '--list', `v${version}`) !== '') throw new SetupError(`The tag v${version} exists.`)
  if (existsSync(join(root, `tests/upgrade/data/${version}.backup`)))
    throw new SetupError(`tests/upgrade/data/${version}.backup exists: a released data set never changes.`)
  const section = read('infra/docs/changelog.md')
    .split(/^## /m)
    .find((text) => text.startsWith(`${version} (`))
  if (section === undefined || section.trim().split('\n').length < 3)
    throw new SetupError(
      `infra/docs/changelog.md needs a section "## ${version} (<date>)" that says what changed.`,
    )
}

const setVersion = (version) => {
  for (const file of ['package.json', 'package-lock.json']) {
    const content = JSON.parse(read(file))
    content.version = version
    if (content.packages !== undefined) content.packages[''].version = version
    writeFileSync(join(root, file), `${JSON.stringify(content, null, 2)}\n`)
  }
}

/** The next release is upgraded from this one: the tag names its commit. */
const addRelease = (version) => {
  const releases = JSON.parse(read('infra/releases.json'))
  releases.push({ version, commit: `v${version}` })
  writeFileSync(join(root, 'infra/releases.json'), JSON.stringify(releases))
}

const freeze = async () => {
  await setup()
  const code = await run(process.execPath, [
    '--import=tsx',
    join(root, 'tests/upgrade/freeze.ts'),
    join(root, '.build/cli/main.js'),
  ])
  if (code !== 0) throw new SetupError('The data set could not be frozen: see the error above.')
}

await runMain(async () => {
  const [version = '', ...others] = process.argv.slice(2)
  if (!/^\d+\.\d+\.\d+$/.test(version) || others.length > 0) {
    console.error(usage)
    process.exitCode = 2
    return
  }
  check(version)
  setVersion(version)
  await freeze()
  if ((await run(process.execPath, [join(root, 'infra/docs.mjs')])) !== 0)
    throw new SetupError('The pages could not be written: see the error above.')
  addRelease(version)
  execFileSync(process.execPath, [binOf('oxfmt'), 'infra/releases.json'], { cwd: root })
  git('add', 'infra/releases.json', 'package.json', 'package-lock.json', 'infra/docs', 'tests/upgrade/data')
  git('commit', '--message', `release: ${version}`)
  git('tag', '--annotate', `v${version}`, '--message', `svc ${version}`)
  console.log(`Released v${version}. Publish it: git push --follow-tags`)
})
