/** Writes every generated page. */
import { writeFile } from 'node:fs/promises'
import { generatedPages, root } from './pages.ts'

for (const [path, content] of await generatedPages()) await writeFile(new URL(path, root), content)
