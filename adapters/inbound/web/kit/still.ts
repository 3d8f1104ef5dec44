/**
 * A page or an email as a picture of itself: in one theme, as if its scripts had run, and with nothing that can be used.
 * Values in it are escaped, so a tag only occurs where a template contains it.
 */

export type Theme = 'light' | 'dark'

/** Returns a style sheet as it applies in one theme, in a browser that runs scripts. */
export const stillStyles = (css: string, theme: Theme): string =>
  css
    .replaceAll(/\(prefers-color-scheme:\s*dark\)/g, theme === 'dark' ? 'all' : 'not all')
    .replaceAll(/\(scripting:\s*none\)/g, 'not all')
    .replaceAll(/color-scheme:\s*light dark/g, `color-scheme: ${theme}`)

/**
 * Returns a document as it looks in one theme, without scripts.
 * @param css styles of its own, after those of the document
 */
export const stillDocument = (markup: string, theme: Theme, css = ''): string =>
  markup
    .replaceAll(/<script [^>]*><\/script>/g, '')
    .replaceAll(/<noscript>[^]*?<\/noscript>/g, '')
    .replaceAll('content="light dark"', `content="${theme}"`)
    .replace('</head>', css === '' ? '</head>' : `<style>${css}</style></head>`)
    .replaceAll(/(?<=<style>)[^<]*(?=<\/style>)/g, (styles) => stillStyles(styles, theme))
    .replace('<body', '<body inert')
