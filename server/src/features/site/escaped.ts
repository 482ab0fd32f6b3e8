/** Text as the content or a quoted attribute of HTML, XML and SVG. */
export const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
