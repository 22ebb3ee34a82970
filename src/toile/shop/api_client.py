"""A method for each address of the shop's API, made by ``python -m toile.shop.describe``."""

from __future__ import annotations

from toile.shop.asked import Asked
from toile.shop.merchant_messages import (
    Deliveries,
    GarmentChange,
    Imported,
    MerchantGarment,
    MerchantGarments,
    MerchantOrders,
    NewGarment,
    NewWebhook,
    PatternDraft,
    TextureImage,
    Webhook,
    Webhooks,
)
from toile.shop.messages import (
    Basket,
    BasketAdd,
    BasketChange,
    Body,
    BodyAnswer,
    BodyList,
    BodyRequest,
    Catalogue,
    Done,
    FitMap,
    Garment,
    MotionRequest,
    Order,
    OrderList,
    OrderRequest,
    Share,
    Shared,
    ShareRequest,
    SizeAdvice,
    TryOn,
    TryOnList,
    TryOnRequest,
    Visitor,
    VisitorChange,
    Work,
)


class ApiClient(Asked):
    """The shop's addresses, with the types of what they take and give."""

    def get_basket(self) -> Basket:
        """Return what is in the basket."""
        return self.read("GET", "/api/basket", kind=Basket)

    def add_to_basket(self, message: BasketAdd) -> Basket:
        """Put something into the basket; the same once more counts up."""
        return self.read("POST", "/api/basket/items", message=message, kind=Basket)

    def remove_basket_item(self, item_id: str) -> Basket:
        """Take something out."""
        return self.read("DELETE", f"/api/basket/items/{item_id}", kind=Basket)

    def change_basket_item(self, item_id: str, message: BasketChange) -> Basket:
        """Set how many; 0 takes it out."""
        return self.read("PATCH", f"/api/basket/items/{item_id}", message=message, kind=Basket)

    def get_bodies(self) -> BodyList:
        """Return standard bodies, the visitor's own, and what sliders may offer."""
        return self.read("GET", "/api/bodies", kind=BodyList)

    def create_body(self, message: BodyRequest) -> Body:
        """Keep a body from measures."""
        return self.read("POST", "/api/bodies", message=message, kind=Body)

    def preview_body(self, message: BodyRequest) -> bytes:
        """Return the vertices of a body from measures, nothing is kept: for the page while a slider moves."""
        return self.fetch("POST", "/api/bodies/preview", message=message)

    def upload_scan(self, data: bytes, *, name: str = "My scan") -> Body:
        """Take a scan (OBJ, PLY, STL, GLB, VTP as the whole request body) and fit a body to it."""
        return self.read("POST", "/api/bodies/scan", query={"name": name}, data=data, kind=Body)

    def delete_body(self, body_id: str) -> Done:
        """Delete a body with all outfits on it: gone from database and disk."""
        return self.read("DELETE", f"/api/bodies/{body_id}", kind=Done)

    def get_body(self, body_id: str) -> Body:
        """Return a body."""
        return self.read("GET", f"/api/bodies/{body_id}", kind=Body)

    def answer_body(self, body_id: str, message: BodyAnswer) -> Body:
        """Name a body, or answer questions about it: a true height scales it."""
        return self.read("PATCH", f"/api/bodies/{body_id}", message=message, kind=Body)

    def get_body_mesh(self, body_id: str) -> bytes:
        """Return triangles, joints and weights of a body (binary, see docs/serve.md)."""
        return self.fetch("GET", f"/api/bodies/{body_id}/mesh")

    def get_body_vertices(self, body_id: str) -> bytes:
        """Return the vertices of a body in its rest pose (binary, see docs/serve.md)."""
        return self.fetch("GET", f"/api/bodies/{body_id}/vertices")

    def get_catalogue(
        self,
        *,
        kind: str = "",
        sex: str = "",
        colour: str = "",
        size: str = "",
        fabric: str = "",
        low: int = 0,
        high: int = 0,
        text: str = "",
        order: str = "shop",
    ) -> Catalogue:
        """Return the garments that pass the filters, with pictures, and what there is to filter by."""
        return self.read(
            "GET",
            "/api/catalogue",
            query={
                "kind": kind,
                "sex": sex,
                "colour": colour,
                "size": size,
                "fabric": fabric,
                "low": low,
                "high": high,
                "text": text,
                "order": order,
            },
            kind=Catalogue,
        )

    def get_garment(self, garment_id: str) -> Garment:
        """Return one garment."""
        return self.read("GET", f"/api/catalogue/{garment_id}", kind=Garment)

    def get_size_advice(self, garment_id: str, *, body_id: str | None = None) -> SizeAdvice:
        """Return which size of a garment we would take for a body, why, and how the others would be."""
        return self.read(
            "GET", f"/api/catalogue/{garment_id}/size", query={"body_id": body_id}, kind=SizeAdvice
        )

    def get_deliveries(self) -> Deliveries:
        """Return the latest events with every try to deliver them."""
        return self.read("GET", "/api/merchant/deliveries", kind=Deliveries)

    def retry_delivery(self, delivery_id: str) -> Done:
        """Try again now."""
        return self.read("POST", f"/api/merchant/deliveries/{delivery_id}/retry", kind=Done)

    def export_catalogue(self) -> bytes:
        """Return the catalogue with patterns and textures as one ZIP file."""
        return self.fetch("GET", "/api/merchant/export")

    def get_merchant_garments(self) -> MerchantGarments:
        """Return all garments with their drapes on several bodies."""
        return self.read("GET", "/api/merchant/garments", kind=MerchantGarments)

    def add_garment(self, message: NewGarment) -> MerchantGarment:
        """Add a garment; it is draped on several bodies at once. The same id again replaces it."""
        return self.read("POST", "/api/merchant/garments", message=message, kind=MerchantGarment)

    def delete_garment(self, garment_id: str) -> Done:
        """Take a garment out of the catalogue."""
        return self.read("DELETE", f"/api/merchant/garments/{garment_id}", kind=Done)

    def get_merchant_garment(self, garment_id: str) -> MerchantGarment:
        """Return one garment with its drapes: problems are told in words."""
        return self.read("GET", f"/api/merchant/garments/{garment_id}", kind=MerchantGarment)

    def change_garment(self, garment_id: str, message: GarmentChange) -> MerchantGarment:
        """Change a garment; new fabric or colours are draped anew."""
        return self.read(
            "PATCH", f"/api/merchant/garments/{garment_id}", message=message, kind=MerchantGarment
        )

    def drape_garment(self, garment_id: str) -> MerchantGarment:
        """Drape a garment again on all its bodies and take the pictures anew."""
        return self.read("POST", f"/api/merchant/garments/{garment_id}/drape", kind=MerchantGarment)

    def import_catalogue(self, data: bytes) -> Imported:
        """Take in an exported catalogue as the whole request body; garments of the same id are replaced."""
        return self.read("POST", "/api/merchant/import", data=data, kind=Imported)

    def get_merchant_orders(self, *, number: str = "") -> MerchantOrders:
        """Return the latest thousand orders, or the one of a number, with the customers' addresses."""
        return self.read("GET", "/api/merchant/orders", query={"number": number}, kind=MerchantOrders)

    def upload_pattern(self, data: bytes, *, file: str, units: str = "") -> PatternDraft:
        """Take a pattern file (DXF, SVG, HPGL, GarmentCode JSON, garment text) as the whole request body."""
        return self.read(
            "POST",
            "/api/merchant/patterns",
            query={"file": file, "units": units},
            data=data,
            kind=PatternDraft,
        )

    def get_pattern(self, pattern_id: str) -> PatternDraft:
        """Return an uploaded pattern."""
        return self.read("GET", f"/api/merchant/patterns/{pattern_id}", kind=PatternDraft)

    def check_merchant(self) -> Done:
        """Say whether the token is right."""
        return self.read("GET", "/api/merchant/session", kind=Done)

    def upload_texture(self, data: bytes) -> TextureImage:
        """Take an image (PNG, JPEG, WebP) for a print, as the whole request body."""
        return self.read("POST", "/api/merchant/textures", data=data, kind=TextureImage)

    def get_webhooks(self) -> Webhooks:
        """Return all receivers."""
        return self.read("GET", "/api/merchant/webhooks", kind=Webhooks)

    def add_webhook(self, message: NewWebhook) -> Webhook:
        """Tell orders to this address from now on; the secret that signs them is shown this once."""
        return self.read("POST", "/api/merchant/webhooks", message=message, kind=Webhook)

    def delete_webhook(self, webhook_id: str) -> Done:
        """Tell orders there no more; what it was not told yet is dropped."""
        return self.read("DELETE", f"/api/merchant/webhooks/{webhook_id}", kind=Done)

    def test_webhook(self, webhook_id: str) -> Done:
        """Send a test event there."""
        return self.read("POST", f"/api/merchant/webhooks/{webhook_id}/test", kind=Done)

    def get_orders(self) -> OrderList:
        """Return the visitor's orders, latest first."""
        return self.read("GET", "/api/orders", kind=OrderList)

    def place_order(self, message: OrderRequest, *, idempotency_key: str) -> Order:
        """Order what is in the basket. It is safe to send this again with the same Idempotency-Key."""
        return self.read(
            "POST", "/api/orders", message=message, headers={"Idempotency-Key": idempotency_key}, kind=Order
        )

    def get_order(self, number: str) -> Order:
        """Return one order."""
        return self.read("GET", f"/api/orders/{number}", kind=Order)

    def get_picture(self, name: str) -> bytes:
        """Return a picture of the catalogue, or a texture; its name is its content, so it never changes."""
        return self.fetch("GET", f"/api/pictures/{name}")

    def get_shared(self, token: str) -> Shared:
        """Return what somebody shared."""
        return self.read("GET", f"/api/shared/{token}", kind=Shared)

    def get_shared_file(self, token: str, work_id: str, name: str) -> bytes:
        """Return a file of a shared outfit."""
        return self.fetch("GET", f"/api/shared/{token}/{work_id}/{name}")

    def get_try_ons(self) -> TryOnList:
        """Return the visitor's latest outfits."""
        return self.read("GET", "/api/tryons", kind=TryOnList)

    def create_try_on(self, message: TryOnRequest) -> TryOn:
        """Sew one or several garments, inner first, on a body; follow it by its events."""
        return self.read("POST", "/api/tryons", message=message, kind=TryOn)

    def delete_try_on(self, tryon_id: str) -> Done:
        """Delete an outfit with all its files."""
        return self.read("DELETE", f"/api/tryons/{tryon_id}", kind=Done)

    def get_try_on(self, tryon_id: str) -> TryOn:
        """Return an outfit with what was made of it so far."""
        return self.read("GET", f"/api/tryons/{tryon_id}", kind=TryOn)

    def get_fit(self, tryon_id: str) -> FitMap:
        """Return how the outfit fits: ease in metres, legend, and where the map's values are."""
        return self.read("GET", f"/api/tryons/{tryon_id}/fit", kind=FitMap)

    def create_motion(self, tryon_id: str, message: MotionRequest) -> Work:
        """Stand, turn, walk, sit or reach in what was put on; its recording streams while it is made."""
        return self.read("POST", f"/api/tryons/{tryon_id}/motions", message=message, kind=Work)

    def unshare_try_on(self, tryon_id: str) -> Done:
        """Make all links to this outfit dead."""
        return self.read("DELETE", f"/api/tryons/{tryon_id}/share", kind=Done)

    def share_try_on(self, tryon_id: str, message: ShareRequest) -> Share:
        """Make a link that shows this outfit to whoever has it, and nothing else."""
        return self.read("POST", f"/api/tryons/{tryon_id}/share", message=message, kind=Share)

    def get_work(self, tryon_id: str, work_id: str) -> Work:
        """Return how far a job is."""
        return self.read("GET", f"/api/tryons/{tryon_id}/works/{work_id}", kind=Work)

    def cancel_work(self, tryon_id: str, work_id: str) -> Work:
        """Stop a job; what is finished stays finished."""
        return self.read("POST", f"/api/tryons/{tryon_id}/works/{work_id}/cancel", kind=Work)

    def follow_work(self, tryon_id: str, work_id: str) -> str:
        """Tell how far a job is, as server-sent events named `work` with a Work message, until it ends."""
        return self.text("GET", f"/api/tryons/{tryon_id}/works/{work_id}/events")

    def get_work_file(self, tryon_id: str, work_id: str, name: str) -> bytes:
        """Return a file of a job; a recording that is still being made comes as it grows."""
        return self.fetch("GET", f"/api/tryons/{tryon_id}/works/{work_id}/{name}")

    def delete_visitor(self) -> Done:
        """Delete the visitor with all bodies, outfits and files; orders stay with the merchant."""
        return self.read("DELETE", "/api/visitor", kind=Done)

    def get_visitor(self) -> Visitor:
        """Return who is asking; somebody new gets a place of their own and a cookie that names it."""
        return self.read("GET", "/api/visitor", kind=Visitor)

    def change_visitor(self, message: VisitorChange) -> Visitor:
        """Set units, language or the body that clothes are tried on."""
        return self.read("PATCH", "/api/visitor", message=message, kind=Visitor)

    def export_visitor(self) -> bytes:
        """Return everything that the shop knows of the visitor as a ZIP file: JSON and all files."""
        return self.fetch("GET", "/api/visitor/export")

    def get_health(self) -> Done:
        """Say that the process lives."""
        return self.read("GET", "/healthz", kind=Done)

    def get_metrics(self) -> str:
        """Return figures for Prometheus; off this computer only with the merchant's token."""
        return self.text("GET", "/metrics")

    def get_readiness(self) -> Done:
        """Say that the database answers and the shop is not about to stop."""
        return self.read("GET", "/readyz", kind=Done)
