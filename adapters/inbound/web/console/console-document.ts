import { html, render } from '../../../kernel/html.ts'
import type { ConsoleFiles } from '../assets.ts'
import type { PageModel } from '../kit/layout.ts'

/**
 * Returns the document that the console starts from.
 * @param styleNonce allows the styles that React Aria creates in the browser; it reads the nonce from the meta element
 */
export const consoleDocument = (
  { organization, asset }: PageModel,
  { script, preloads, styles }: ConsoleFiles,
  styleNonce: string,
): string =>
  '<!doctype html>\n' +
  render(
    html`<html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${organization.name}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <meta name="referrer" content="strict-origin" />
        <meta property="csp-nonce" nonce="${styleNonce}" />
        <link rel="icon" type="image/svg+xml" href="${asset('favicon.svg')}" />
        <link rel="stylesheet" href="${asset('app.css')}" />
        ${styles.map((path) => html`<link rel="stylesheet" href="${path}" />`)}
        ${organization.themeUrl === undefined ? null : html`<link rel="stylesheet" href="${organization.themeUrl}" />`}
        ${preloads.map((path) => html`<link rel="modulepreload" href="${path}" />`)}
        <script type="module" src="${script}"></script>
      </head>
      <body>
        <div id="console" data-organization="${organization.name}"></div>
        <noscript
          ><p>The console needs JavaScript. Turn it on for this site, then load the page again.</p></noscript
        >
      </body>
    </html>`,
  )
