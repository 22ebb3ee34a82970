// Drafts designs of FreeSewing over its size tables as SVG files: node freesewing.mjs OUT DESIGN,… MODEL,…
// Run where its packages are installed: npm install @freesewing/models @freesewing/DESIGN …
import fs from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const load = async (name) => import(pathToFileURL(createRequire(`${process.cwd()}/`).resolve(name)))
const [out, designs, people] = process.argv.slice(2)
const models = await load('@freesewing/models')
for (const name of designs.split(',')) {
    for (const who of people.split(',')) {
        try {
            const found = await load(`@freesewing/${name}`)
            const Design = found[name[0].toUpperCase() + name.slice(1)]
            const pattern = new Design({ measurements: models[who], sa: 0, paperless: false, complete: true })
            fs.writeFileSync(`${out}/fs_${name}_${who}.svg`, pattern.draft().render())
        } catch (error) {
            console.error(`${name} ${who}: ${String(error.message).split('\n')[0].slice(0, 120)}`)
        }
    }
}
