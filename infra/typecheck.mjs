// Checks the types of everything: server, tests and infra in one program, browser code in another.
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { binOf, root, run, runMain } from './setup.mjs'

/** Resolves to 0 when all types hold. What was checked before is remembered in node_modules/.cache. */
export const typecheck = async () => {
  const projects = ['tsconfig.json']
  if (existsSync(join(root, 'adapters', 'inbound', 'web', 'browser')))
    projects.push('infra/tsconfig.browser.json')
  const cache = join(root, 'node_modules', '.cache', 'svc')
  mkdirSync(cache, { recursive: true })
  for (const [index, project] of projects.entries()) {
    const remembered = ['--incremental', '--tsBuildInfoFile', join(cache, `${index}.tsbuildinfo`)]
    const code = await run(process.execPath, [binOf('typescript', 'tsc'), '-p', project, ...remembered])
    if (code !== 0) return code
  }
  return 0
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runMain(async () => {
    process.exitCode = await typecheck()
  })
}
