// Made from openapi.json by make-api.mjs: do not edit.
import { Caller } from "./caller";

export { Refusal, Unreachable } from "./caller";

/** One try to deliver. */
export interface Attempt {
  at: number;
  error: string;
  seconds: number;
  status: number | null;
}

/** What is to be bought. */
export interface Basket {
  currency: string;
  items: BasketItem[];
  total: number;
}

/** Put something in. */
export interface BasketAdd {
  colour: string;
  garment_id: string;
  quantity?: number | undefined;
  size: string;
}

/** How many; 0 takes it out. */
export interface BasketChange {
  quantity: number;
}

/** Something that is to be bought. */
export interface BasketItem {
  colour: string;
  garment_id: string;
  id: string;
  name: string;
  picture_url: string | null;
  price: number;
  quantity: number;
  size: string;
}

/** A body that clothes can be tried on. */
export interface Body {
  created: number;
  id: string;
  kind: "standard" | "measures" | "scan";
  measures: Record<string, number>;
  mesh_url: string;
  name: string;
  notes: string[];
  picture_url: string | null;
  questions: Question[];
  sex: "female" | "male" | null;
  vertices_url: string;
}

/** Answers to questions about a scan, or another name. */
export interface BodyAnswer {
  confirmed?: string[] | undefined;
  height?: number | null | undefined;
  name?: string | null | undefined;
}

/** Standard bodies and the visitor's own. */
export interface BodyList {
  own: Body[];
  ranges: MeasureRange[];
  standard: Body[];
}

/** A body from measures; what is not given is inferred from what is. */
export interface BodyRequest {
  age?: number | null | undefined;
  measures?: Partial<Record<"height" | "neck" | "shoulder_width" | "bust" | "underbust" | "waist" | "hips" | "thigh" | "calf" | "upper_arm" | "wrist" | "arm_length" | "inseam" | "back_length" | "weight", number>> | undefined;
  name?: string | undefined;
  sex: "female" | "male";
}

/** All garments that pass the filters. */
export interface Catalogue {
  filters: Filters;
  garments: Garment[];
  total: number;
}

/** A colour or print that a garment comes in. */
export interface ColourWay {
  colour: string;
  id: string;
  image_url?: string | null | undefined;
  name: string;
  print?: "plain" | "stripes" | "dots" | "checks" | "image" | undefined;
  repeat?: number | undefined;
  second?: string | null | undefined;
}

/** Events, latest first. */
export interface Deliveries {
  items: Delivery[];
}

/** One event for one receiver: sent again until it is acknowledged with 2xx. */
export interface Delivery {
  attempts: Attempt[];
  event: "order.created" | "test";
  id: string;
  next_at: number | null;
  order: string | null;
  state: "waiting" | "acknowledged";
  webhook_id: string;
}

/** It was done, and there is nothing more to say. */
export interface Done {
  ok: true;
}

/** How a garment came out on one body. */
export interface DrapePicture {
  body: string;
  problems: string[];
  state: "waiting" | "done" | "failed";
  url: string | null;
}

/** How much wider than the body a garment is at one level. */
export interface EaseRow {
  body: number;
  ease: number;
  garment: number;
  least: number;
  level: "bust" | "waist" | "hips" | "thigh" | "upper_arm";
  word: "too tight" | "tight" | "close" | "easy" | "loose";
}

/** One edge of a piece. */
export interface EdgeSpot {
  backward?: boolean | undefined;
  edge: number;
  piece: string;
}

/** One result. */
export interface File {
  bytes: number;
  kind: "recording" | "picture" | "mesh" | "fit" | "scene";
  name: string;
  url: string;
}

/** What there is to filter by. */
export interface Filters {
  colours: ColourWay[];
  fabrics: string[];
  kinds: string[];
  price_high: number;
  price_low: number;
  sizes: string[];
}

/** What a fit map shows. */
export interface FitLayer {
  high: number;
  low: number;
  name: "stretch" | "distance";
  stops: number[];
  unit: "share" | "m";
  words: string[];
}

/** How an outfit fits: figures here, one value a cloth vertex in the file. */
export interface FitMap {
  ease: EaseRow[];
  layers: FitLayer[];
  lines: string[];
  url: string;
}

/** What can be bought. */
export interface Garment {
  colours: ColourWay[];
  currency: string;
  fabric: string;
  fabric_words: string;
  id: string;
  kind: string;
  layer: number;
  name: string;
  pictures: Picture[];
  price: number;
  sex: "female" | "male" | "all";
  sizes: string[];
  text: string;
}

/** What may be changed of a garment. */
export interface GarmentChange {
  colours?: ColourWay[] | null | undefined;
  fabric?: string | null | undefined;
  name?: string | null | undefined;
  price?: number | null | undefined;
  published?: boolean | null | undefined;
  sizes?: string[] | null | undefined;
  text?: string | null | undefined;
}

/** What an import brought. */
export interface Imported {
  added: number;
  notes: string[];
  replaced: number;
}

/** What a slider may offer. */
export interface MeasureRange {
  first: boolean;
  high: number;
  low: number;
  name: "height" | "neck" | "shoulder_width" | "bust" | "underbust" | "waist" | "hips" | "thigh" | "calf" | "upper_arm" | "wrist" | "arm_length" | "inseam" | "back_length" | "weight";
}

/** A garment as its merchant sees it. */
export interface MerchantGarment {
  drapes: DrapePicture[];
  garment: Garment;
  pattern: string | null;
  published: boolean;
  recipe: string;
}

/** All garments, also those that are not published. */
export interface MerchantGarments {
  items: MerchantGarment[];
}

/** An order with the customer's address. */
export interface MerchantOrder {
  address: string;
  email: string;
  name: string;
  note: string;
  order: Order;
}

/** Orders, latest first. */
export interface MerchantOrders {
  items: MerchantOrder[];
}

/** Move in what was put on. */
export interface MotionRequest {
  act: "stand" | "turn" | "walk" | "sit" | "reach" | "live";
  seconds?: number | undefined;
  wind?: number | undefined;
}

/** A garment to be sold. */
export interface NewGarment {
  colours: ColourWay[];
  currency?: string | undefined;
  fabric: string;
  id: string;
  kind: string;
  layer?: number | undefined;
  name: string;
  pattern?: string | null | undefined;
  price: number;
  recipe?: string | undefined;
  seams?: SeamProposal[] | undefined;
  sex?: "female" | "male" | "all" | undefined;
  sizes: string[];
  text?: string | undefined;
}

/** Where orders are told. */
export interface NewWebhook {
  url: string;
}

/** An order. */
export interface Order {
  checkout_url: string | null;
  created: number;
  currency: string;
  items: BasketItem[];
  next: string;
  number: string;
  state: "received" | "acknowledged";
  total: number;
}

/** The visitor's orders, latest first. */
export interface OrderList {
  items: Order[];
}

/** Who buys and where it goes; the basket is what is bought. No card data here. */
export interface OrderRequest {
  address: string;
  email: string;
  name: string;
  note?: string | undefined;
}

/** An uploaded pattern before it is a garment. */
export interface PatternDraft {
  file: string;
  id: string;
  notes: string[];
  pieces: PieceOutline[];
  problems: string[];
  seams: SeamProposal[];
  sizes: string[];
}

/** A picture that we rendered. */
export interface Picture {
  body: string;
  colour: string;
  height: number;
  url: string;
  view: "front" | "three_quarter" | "back";
  width: number;
}

/** A flat piece, for being drawn. */
export interface PieceOutline {
  edges: number[][];
  name: string;
  place: string;
  points: ([number, number])[];
}

/** Why something was not done. */
export interface Problem {
  code: string;
  error: string;
  place: string;
}

/** Something doubtful that only the visitor knows. */
export interface Question {
  answered: boolean;
  id: string;
  text: string;
  value: number | null;
}

/** What is sewn to what. */
export interface SeamProposal {
  a: EdgeSpot[];
  b: EdgeSpot[];
  confirmed?: boolean | undefined;
  reason?: string | undefined;
  sure?: number | undefined;
}

/** A link for others. */
export interface Share {
  created: number;
  token: string;
  url: string;
}

/** What others may see. */
export interface ShareRequest {
  body_measures?: boolean | undefined;
  motions?: boolean | undefined;
}

/** What somebody shared: nothing else of theirs can be reached from here. */
export interface Shared {
  files: File[];
  fit: FitMap | null;
  garments: Garment[];
  measures: Record<string, number> | null;
  wear: Wear[];
}

/** Which size we would take, and why. */
export interface SizeAdvice {
  body_id: string;
  garment_id: string;
  reason: string;
  recommended: string;
  sizes: SizeFit[];
}

/** One size on one body, before anything is sewn. */
export interface SizeFit {
  ease: EaseRow[];
  size: string;
  word: "too tight" | "tight" | "close" | "easy" | "loose";
}

/** An image that was uploaded for prints. */
export interface TextureImage {
  hash: string;
  height: number;
  url: string;
  width: number;
}

/** An outfit on a body. */
export interface TryOn {
  body_id: string;
  created: number;
  id: string;
  motions: Work[];
  wear: Wear[];
  work: Work;
}

/** The visitor's outfits, latest first. */
export interface TryOnList {
  items: TryOn[];
}

/** Put these on this body, inner first. */
export interface TryOnRequest {
  body_id?: string | null | undefined;
  wear: Wear[];
}

/** Who is asking; the cookie that names them is not readable by scripts. */
export interface Visitor {
  body_id: string;
  csrf: string;
  deleted_at: number;
  language: "en" | "de";
  retention_days: number;
  units: "cm" | "inch";
}

/** What a visitor may set. */
export interface VisitorChange {
  body_id?: string | null | undefined;
  language?: "en" | "de" | null | undefined;
  units?: "cm" | "inch" | null | undefined;
}

/** One garment as it is to be tried on. */
export interface Wear {
  colour?: string | null | undefined;
  fabric?: string | null | undefined;
  garment_id: string;
  size?: string | null | undefined;
}

/** A receiver; its secret is told once, when it is made. */
export interface Webhook {
  active: boolean;
  created: number;
  id: string;
  secret: string | null;
  url: string;
}

/** All receivers. */
export interface Webhooks {
  items: Webhook[];
}

/** A job on the way or done. */
export interface Work {
  act: "stand" | "turn" | "walk" | "sit" | "reach" | "live" | null;
  error: string | null;
  files: File[];
  id: string;
  kind: "dress" | "move" | "drape_pictures" | "scan";
  progress: number;
  queue_position: number;
  seconds: number | null;
  stage: string;
  state: "queued" | "running" | "done" | "failed" | "cancelled";
}

/** The shop's REST API, an operation a method. */
export class Client extends Caller {
  /** Return what is in the basket. */
  getBasket(): Promise<Basket> {
    return this.json<Basket>({ method: "GET", path: `/api/basket` });
  }

  /** Put something into the basket; the same once more counts up. */
  addToBasket(body: BasketAdd): Promise<Basket> {
    return this.json<Basket>({ method: "POST", path: `/api/basket/items`, json: body });
  }

  /** Set how many; 0 takes it out. */
  changeBasketItem(item_id: string, body: BasketChange): Promise<Basket> {
    return this.json<Basket>({ method: "PATCH", path: `/api/basket/items/${encodeURIComponent(item_id)}`, json: body });
  }

  /** Take something out. */
  removeBasketItem(item_id: string): Promise<Basket> {
    return this.json<Basket>({ method: "DELETE", path: `/api/basket/items/${encodeURIComponent(item_id)}` });
  }

  /** Return standard bodies, the visitor's own, and what sliders may offer. */
  getBodies(): Promise<BodyList> {
    return this.json<BodyList>({ method: "GET", path: `/api/bodies` });
  }

  /** Keep a body from measures. */
  createBody(body: BodyRequest): Promise<Body> {
    return this.json<Body>({ method: "POST", path: `/api/bodies`, json: body });
  }

  /** Return the vertices of a body from measures, nothing is kept: for the page while a slider moves. */
  previewBody(body: BodyRequest): Promise<Response> {
    return this.raw({ method: "POST", path: `/api/bodies/preview`, json: body });
  }

  /** Take a scan (OBJ, PLY, STL, GLB, VTP as the whole request body) and fit a body to it. */
  uploadScan(body: BodyInit, query: { name?: string | undefined } = {}): Promise<Body> {
    return this.json<Body>({ method: "POST", path: `/api/bodies/scan`, raw: body, query });
  }

  /** Return a body. */
  getBody(body_id: string): Promise<Body> {
    return this.json<Body>({ method: "GET", path: `/api/bodies/${encodeURIComponent(body_id)}` });
  }

  /** Name a body, or answer questions about it: a true height scales it. */
  answerBody(body_id: string, body: BodyAnswer): Promise<Body> {
    return this.json<Body>({ method: "PATCH", path: `/api/bodies/${encodeURIComponent(body_id)}`, json: body });
  }

  /** Delete a body with all outfits on it: gone from database and disk. */
  deleteBody(body_id: string): Promise<Done> {
    return this.json<Done>({ method: "DELETE", path: `/api/bodies/${encodeURIComponent(body_id)}` });
  }

  /** Return triangles, joints and weights of a body (binary, see docs/serve.md). */
  getBodyMesh(body_id: string): Promise<Response> {
    return this.raw({ method: "GET", path: `/api/bodies/${encodeURIComponent(body_id)}/mesh` });
  }

  /** Return the vertices of a body in its rest pose (binary, see docs/serve.md). */
  getBodyVertices(body_id: string): Promise<Response> {
    return this.raw({ method: "GET", path: `/api/bodies/${encodeURIComponent(body_id)}/vertices` });
  }

  /** Return the garments that pass the filters, with pictures, and what there is to filter by. */
  getCatalogue(query: { kind?: string | undefined; sex?: "" | "female" | "male" | undefined; colour?: string | undefined; size?: string | undefined; fabric?: string | undefined; low?: number | undefined; high?: number | undefined; text?: string | undefined; order?: "shop" | "price" | "price_down" | undefined } = {}): Promise<Catalogue> {
    return this.json<Catalogue>({ method: "GET", path: `/api/catalogue`, query });
  }

  /** Return one garment. */
  getGarment(garment_id: string): Promise<Garment> {
    return this.json<Garment>({ method: "GET", path: `/api/catalogue/${encodeURIComponent(garment_id)}` });
  }

  /** Return which size of a garment we would take for a body, why, and how the others would be. */
  getSizeAdvice(garment_id: string, query: { body_id?: string | null | undefined } = {}): Promise<SizeAdvice> {
    return this.json<SizeAdvice>({ method: "GET", path: `/api/catalogue/${encodeURIComponent(garment_id)}/size`, query });
  }

  /** Return the latest events with every try to deliver them. */
  getDeliveries(): Promise<Deliveries> {
    return this.json<Deliveries>({ method: "GET", path: `/api/merchant/deliveries` });
  }

  /** Try again now. */
  retryDelivery(delivery_id: string): Promise<Done> {
    return this.json<Done>({ method: "POST", path: `/api/merchant/deliveries/${encodeURIComponent(delivery_id)}/retry` });
  }

  /** Return the catalogue with patterns and textures as one ZIP file. */
  exportCatalogue(): Promise<Response> {
    return this.raw({ method: "GET", path: `/api/merchant/export` });
  }

  /** Return all garments with their drapes on several bodies. */
  getMerchantGarments(): Promise<MerchantGarments> {
    return this.json<MerchantGarments>({ method: "GET", path: `/api/merchant/garments` });
  }

  /** Add a garment; it is draped on several bodies at once. The same id again replaces it. */
  addGarment(body: NewGarment): Promise<MerchantGarment> {
    return this.json<MerchantGarment>({ method: "POST", path: `/api/merchant/garments`, json: body });
  }

  /** Return one garment with its drapes: problems are told in words. */
  getMerchantGarment(garment_id: string): Promise<MerchantGarment> {
    return this.json<MerchantGarment>({ method: "GET", path: `/api/merchant/garments/${encodeURIComponent(garment_id)}` });
  }

  /** Change a garment; new fabric or colours are draped anew. */
  changeGarment(garment_id: string, body: GarmentChange): Promise<MerchantGarment> {
    return this.json<MerchantGarment>({ method: "PATCH", path: `/api/merchant/garments/${encodeURIComponent(garment_id)}`, json: body });
  }

  /** Take a garment out of the catalogue. */
  deleteGarment(garment_id: string): Promise<Done> {
    return this.json<Done>({ method: "DELETE", path: `/api/merchant/garments/${encodeURIComponent(garment_id)}` });
  }

  /** Drape a garment again on all its bodies and take the pictures anew. */
  drapeGarment(garment_id: string): Promise<MerchantGarment> {
    return this.json<MerchantGarment>({ method: "POST", path: `/api/merchant/garments/${encodeURIComponent(garment_id)}/drape` });
  }

  /** Take in an exported catalogue as the whole request body; garments of the same id are replaced. */
  importCatalogue(body: BodyInit): Promise<Imported> {
    return this.json<Imported>({ method: "POST", path: `/api/merchant/import`, raw: body });
  }

  /** Return the latest thousand orders, or the one of a number, with the customers' addresses. */
  getMerchantOrders(query: { number?: string | undefined } = {}): Promise<MerchantOrders> {
    return this.json<MerchantOrders>({ method: "GET", path: `/api/merchant/orders`, query });
  }

  /** Take a pattern file (DXF, SVG, HPGL, GarmentCode JSON, garment text) as the whole request body. */
  uploadPattern(body: BodyInit, query: { file: string; units?: string | undefined }): Promise<PatternDraft> {
    return this.json<PatternDraft>({ method: "POST", path: `/api/merchant/patterns`, raw: body, query });
  }

  /** Return an uploaded pattern. */
  getPattern(pattern_id: string): Promise<PatternDraft> {
    return this.json<PatternDraft>({ method: "GET", path: `/api/merchant/patterns/${encodeURIComponent(pattern_id)}` });
  }

  /** Say whether the token is right. */
  checkMerchant(): Promise<Done> {
    return this.json<Done>({ method: "GET", path: `/api/merchant/session` });
  }

  /** Take an image (PNG, JPEG, WebP) for a print, as the whole request body. */
  uploadTexture(body: BodyInit): Promise<TextureImage> {
    return this.json<TextureImage>({ method: "POST", path: `/api/merchant/textures`, raw: body });
  }

  /** Return all receivers. */
  getWebhooks(): Promise<Webhooks> {
    return this.json<Webhooks>({ method: "GET", path: `/api/merchant/webhooks` });
  }

  /** Tell orders to this address from now on; the secret that signs them is shown this once. */
  addWebhook(body: NewWebhook): Promise<Webhook> {
    return this.json<Webhook>({ method: "POST", path: `/api/merchant/webhooks`, json: body });
  }

  /** Tell orders there no more; what it was not told yet is dropped. */
  deleteWebhook(webhook_id: string): Promise<Done> {
    return this.json<Done>({ method: "DELETE", path: `/api/merchant/webhooks/${encodeURIComponent(webhook_id)}` });
  }

  /** Send a test event there. */
  testWebhook(webhook_id: string): Promise<Done> {
    return this.json<Done>({ method: "POST", path: `/api/merchant/webhooks/${encodeURIComponent(webhook_id)}/test` });
  }

  /** Return the visitor's orders, latest first. */
  getOrders(): Promise<OrderList> {
    return this.json<OrderList>({ method: "GET", path: `/api/orders` });
  }

  /** Order what is in the basket. It is safe to send this again with the same Idempotency-Key. */
  placeOrder(body: OrderRequest, idempotencyKey: string): Promise<Order> {
    return this.json<Order>({ method: "POST", path: `/api/orders`, json: body, headers: { "Idempotency-Key": idempotencyKey } });
  }

  /** Return one order. */
  getOrder(number: string): Promise<Order> {
    return this.json<Order>({ method: "GET", path: `/api/orders/${encodeURIComponent(number)}` });
  }

  /** Return a picture of the catalogue, or a texture; its name is its content, so it never changes. */
  getPicture(name: string): Promise<Response> {
    return this.raw({ method: "GET", path: `/api/pictures/${encodeURIComponent(name)}` });
  }

  /** Return what somebody shared. */
  getShared(token: string): Promise<Shared> {
    return this.json<Shared>({ method: "GET", path: `/api/shared/${encodeURIComponent(token)}` });
  }

  /** Return a file of a shared outfit. */
  getSharedFile(token: string, work_id: string, name: string): Promise<Response> {
    return this.raw({ method: "GET", path: `/api/shared/${encodeURIComponent(token)}/${encodeURIComponent(work_id)}/${encodeURIComponent(name)}` });
  }

  /** Return the visitor's latest outfits. */
  getTryOns(): Promise<TryOnList> {
    return this.json<TryOnList>({ method: "GET", path: `/api/tryons` });
  }

  /** Sew one or several garments, inner first, on a body; follow it by its events. */
  createTryOn(body: TryOnRequest): Promise<TryOn> {
    return this.json<TryOn>({ method: "POST", path: `/api/tryons`, json: body });
  }

  /** Return an outfit with what was made of it so far. */
  getTryOn(tryon_id: string): Promise<TryOn> {
    return this.json<TryOn>({ method: "GET", path: `/api/tryons/${encodeURIComponent(tryon_id)}` });
  }

  /** Delete an outfit with all its files. */
  deleteTryOn(tryon_id: string): Promise<Done> {
    return this.json<Done>({ method: "DELETE", path: `/api/tryons/${encodeURIComponent(tryon_id)}` });
  }

  /** Return how the outfit fits: ease in metres, legend, and where the map's values are. */
  getFit(tryon_id: string): Promise<FitMap> {
    return this.json<FitMap>({ method: "GET", path: `/api/tryons/${encodeURIComponent(tryon_id)}/fit` });
  }

  /** Stand, turn, walk, sit or reach in what was put on; its recording streams while it is made. */
  createMotion(tryon_id: string, body: MotionRequest): Promise<Work> {
    return this.json<Work>({ method: "POST", path: `/api/tryons/${encodeURIComponent(tryon_id)}/motions`, json: body });
  }

  /** Make a link that shows this outfit to whoever has it, and nothing else. */
  shareTryOn(tryon_id: string, body: ShareRequest): Promise<Share> {
    return this.json<Share>({ method: "POST", path: `/api/tryons/${encodeURIComponent(tryon_id)}/share`, json: body });
  }

  /** Make all links to this outfit dead. */
  unshareTryOn(tryon_id: string): Promise<Done> {
    return this.json<Done>({ method: "DELETE", path: `/api/tryons/${encodeURIComponent(tryon_id)}/share` });
  }

  /** Return how far a job is. */
  getWork(tryon_id: string, work_id: string): Promise<Work> {
    return this.json<Work>({ method: "GET", path: `/api/tryons/${encodeURIComponent(tryon_id)}/works/${encodeURIComponent(work_id)}` });
  }

  /** Stop a job; what is finished stays finished. */
  cancelWork(tryon_id: string, work_id: string): Promise<Work> {
    return this.json<Work>({ method: "POST", path: `/api/tryons/${encodeURIComponent(tryon_id)}/works/${encodeURIComponent(work_id)}/cancel` });
  }

  /** Tell how far a job is, as server-sent events named `work` with a Work message, until it ends. */
  followWork(tryon_id: string, work_id: string): Promise<Response> {
    return this.raw({ method: "GET", path: `/api/tryons/${encodeURIComponent(tryon_id)}/works/${encodeURIComponent(work_id)}/events` });
  }

  /** Return a file of a job; a recording that is still being made comes as it grows. */
  getWorkFile(tryon_id: string, work_id: string, name: string): Promise<Response> {
    return this.raw({ method: "GET", path: `/api/tryons/${encodeURIComponent(tryon_id)}/works/${encodeURIComponent(work_id)}/${encodeURIComponent(name)}` });
  }

  /** Return who is asking; somebody new gets a place of their own and a cookie that names it. */
  getVisitor(): Promise<Visitor> {
    return this.json<Visitor>({ method: "GET", path: `/api/visitor` });
  }

  /** Set units, language or the body that clothes are tried on. */
  changeVisitor(body: VisitorChange): Promise<Visitor> {
    return this.json<Visitor>({ method: "PATCH", path: `/api/visitor`, json: body });
  }

  /** Delete the visitor with all bodies, outfits and files; orders stay with the merchant. */
  deleteVisitor(): Promise<Done> {
    return this.json<Done>({ method: "DELETE", path: `/api/visitor` });
  }

  /** Return everything that the shop knows of the visitor as a ZIP file: JSON and all files. */
  exportVisitor(): Promise<Response> {
    return this.raw({ method: "GET", path: `/api/visitor/export` });
  }

  /** Say that the process lives. */
  getHealth(): Promise<Done> {
    return this.json<Done>({ method: "GET", path: `/healthz` });
  }

  /** Return figures for Prometheus; off this computer only with the merchant's token. */
  getMetrics(): Promise<Response> {
    return this.raw({ method: "GET", path: `/metrics` });
  }

  /** Say that the database answers and the shop is not about to stop. */
  getReadiness(): Promise<Done> {
    return this.json<Done>({ method: "GET", path: `/readyz` });
  }
}
