// Unpacks the Chromium of an npm package into the temporary folder.
import chromium from '@sparticuz/chromium'

await chromium.executablePath()
