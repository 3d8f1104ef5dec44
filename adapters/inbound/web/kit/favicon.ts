/** The service's mark: a key hole in a shield, readable at 16 px and in both themes. */
export const favicon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<path fill="#0f5f66" d="M16 1.5 28 6v9.2c0 7.2-4.9 12.9-12 15.3C8.9 28.1 4 22.4 4 15.2V6z"/>
<path fill="#fff" d="M16 9a4.2 4.2 0 0 0-1.9 7.95L13 23h6l-1.1-6.050A4.2 4.2 0 0 0 16 9z"/>
</svg>
`
